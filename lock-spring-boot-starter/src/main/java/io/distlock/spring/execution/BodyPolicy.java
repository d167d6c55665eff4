package io.distlock.spring.execution;

/**
 * What a lock means to the body under it.
 *
 * @param interruptOnLoss whether the body is interrupted, or its result cancelled, once the lock is lost
 * @param fenced whether its transactions show the lock to the resources that refuse stale holders
 */
public record BodyPolicy(boolean interruptOnLoss, boolean fenced) {

    /** As the annotation's attributes are by default. */
    public static final BodyPolicy DEFAULT = new BodyPolicy(false, true);

    public BodyPolicy withInterruptOnLoss(boolean interrupt) {
        return new BodyPolicy(interrupt, fenced);
    }

    public BodyPolicy withFenced(boolean fence) {
        return new BodyPolicy(interruptOnLoss, fence);
    }
}
