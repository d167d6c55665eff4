package io.distlock.spring.interceptor;

import java.io.Serializable;

/**
 * One thing that is wrong with a locked method.
 *
 * @param method which one, with its class
 * @param attribute of the annotation, or what else it is about
 * @param problem what is wrong, with the value
 * @param cure what to do
 */
public record LockProblem(String method, String attribute, String problem, String cure) implements Serializable {

    @Override
    public String toString() {
        return method + ", " + attribute + ": " + problem + ". " + cure;
    }
}
