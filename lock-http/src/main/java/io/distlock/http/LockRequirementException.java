package io.distlock.http;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * A request does not have the lock that {@link RequireLock} demands; the method was not called. The answer is a {@link
 * ProblemDetail} with a status for the reason. Neither the answer nor the message names the lock or repeats the header.
 */
public final class LockRequirementException extends ErrorResponseException {

    private static final long serialVersionUID = 1L;

    private LockRequirementException(HttpStatus status, String detail, @Nullable Throwable cause) {
        super(status, ProblemDetail.forStatusAndDetail(status, detail), cause);
        if (status == HttpStatus.SERVICE_UNAVAILABLE) {
            getHeaders().set(HttpHeaders.RETRY_AFTER, "1");
        }
    }

    static LockRequirementException missing() {
        return new LockRequirementException(
                HttpStatus.PRECONDITION_REQUIRED, "The request needs the header " + SequencerHeader.NAME + ".", null);
    }

    static LockRequirementException malformed() {
        return new LockRequirementException(
                HttpStatus.BAD_REQUEST,
                "The header " + SequencerHeader.NAME + " is malformed, too long or not authentic.",
                null);
    }

    static LockRequirementException ofAnotherKey() {
        return new LockRequirementException(
                HttpStatus.BAD_REQUEST,
                "The header " + SequencerHeader.NAME + " does not cover the lock that the request needs.",
                null);
    }

    static LockRequirementException shared() {
        return new LockRequirementException(
                HttpStatus.PRECONDITION_FAILED, "The lock is held shared, and the request needs it exclusively.", null);
    }

    static LockRequirementException stale(Optional<Throwable> cause) {
        return new LockRequirementException(
                HttpStatus.PRECONDITION_FAILED,
                "The lock is no longer held by the sender of the request.",
                cause.orElse(null));
    }

    static LockRequirementException unavailable(Throwable cause) {
        return new LockRequirementException(
                HttpStatus.SERVICE_UNAVAILABLE, "The lock cannot be checked at the moment.", cause);
    }
}
