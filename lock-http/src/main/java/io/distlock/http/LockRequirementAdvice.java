package io.distlock.http;

import org.springframework.core.annotation.Order;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/** Answers requests that {@link RequireLock} refused. Precedes an application's advice for all exceptions, which has no order. */
@ControllerAdvice
@Order(0)
final class LockRequirementAdvice {

    @ExceptionHandler
    ResponseEntity<ProblemDetail> refused(LockRequirementException refusal) {
        return ResponseEntity.status(refusal.getStatusCode())
                .headers(refusal.getHeaders())
                .body(refusal.getBody());
    }
}
