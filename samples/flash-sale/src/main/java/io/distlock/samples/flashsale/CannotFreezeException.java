package io.distlock.samples.flashsale;

/** This instance cannot be frozen, or not now. */
final class CannotFreezeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    CannotFreezeException(String obstacle) {
        super(obstacle);
    }
}
