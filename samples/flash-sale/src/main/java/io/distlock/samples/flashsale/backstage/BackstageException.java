package io.distlock.samples.flashsale.backstage;

/** The instance cannot start; the message says what to do. */
public final class BackstageException extends RuntimeException {

    BackstageException(String message) {
        super(message);
    }

    BackstageException(String message, Throwable cause) {
        super(message, cause);
    }
}
