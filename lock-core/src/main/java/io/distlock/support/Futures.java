package io.distlock.support;

import java.util.concurrent.CompletionException;

/** What futures hide. */
public final class Futures {

    private Futures() {}

    /** The failure itself: a stage wraps that of the stage before it in a {@link CompletionException}. */
    public static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause(cause) : failure;
    }
}
