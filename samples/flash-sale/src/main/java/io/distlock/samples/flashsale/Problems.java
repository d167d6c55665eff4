package io.distlock.samples.flashsale;

import io.distlock.spring.leader.NotLeaderException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;

/** Says in one sentence what is wrong with a request, or with the instance. */
@RestControllerAdvice
final class Problems {

    private static final Logger log = LoggerFactory.getLogger(Problems.class);

    @ExceptionHandler
    ProblemDetail badValue(IllegalArgumentException problem) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, String.valueOf(problem.getMessage()));
    }

    @ExceptionHandler
    ProblemDetail badType(MethodArgumentTypeMismatchException problem) {
        String rule = problem.getRequiredType() == boolean.class ? "true or false" : "a whole number";
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.BAD_REQUEST, problem.getName() + " must be " + rule + ", not " + problem.getValue());
    }

    @ExceptionHandler({NoSaleException.class, CannotFreezeException.class, NotLeaderException.class})
    ProblemDetail notNow(RuntimeException problem) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(problem.getMessage()));
    }

    @ExceptionHandler({DataAccessException.class, CannotCreateTransactionException.class})
    ProblemDetail databaseIsGone(RuntimeException problem) {
        log.warn("The database does not answer", problem);
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE,
                "the database does not answer: it ends with the first instance, so start that again");
    }
}
