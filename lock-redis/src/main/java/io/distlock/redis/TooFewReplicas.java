package io.distlock.redis;

/** The lock was taken, or extended, but not safely enough. */
final class TooFewReplicas extends CallFailure {

    private static final long serialVersionUID = 1L;

    TooFewReplicas(String message) {
        super(message, true);
    }
}
