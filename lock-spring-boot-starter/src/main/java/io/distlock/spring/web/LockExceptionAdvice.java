package io.distlock.spring.web;

import io.distlock.LockInterruptedException;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers requests whose lock was not acquired, so that nothing was done: 409 if another holds it, 503 if the store did not
 * answer. The answers do not name the lock. A lock that was lost is left to the application: only it knows what its
 * work has done by then. The application's own advice takes precedence.
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
final class LockExceptionAdvice {

    private static final String RETRY_AFTER_SECONDS = "1";

    @ExceptionHandler
    ResponseEntity<ProblemDetail> busy(LockNotAcquiredException busy) {
        return ResponseEntity.of(ProblemDetail.forStatusAndDetail(
                        HttpStatus.CONFLICT, "Another request is working on the same thing."))
                .build();
    }

    @ExceptionHandler({LockUnavailableException.class, LockInterruptedException.class})
    ResponseEntity<ProblemDetail> unavailable() {
        return ResponseEntity.of(ProblemDetail.forStatusAndDetail(
                        HttpStatus.SERVICE_UNAVAILABLE, "The service is not available at the moment."))
                .headers(headers -> headers.set(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS))
                .build();
    }
}
