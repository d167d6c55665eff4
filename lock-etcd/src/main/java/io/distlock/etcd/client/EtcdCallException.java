package io.distlock.etcd.client;

import io.distlock.support.Futures;
import io.etcd.jetcd.common.exception.EtcdException;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A failed call to etcd: the driver's errors, translated once. It has no stack trace; its cause does. */
public final class EtcdCallException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Status.Code code;

    private EtcdCallException(String message, Status.Code code, @Nullable Throwable cause) {
        super(message, cause, false, false);
        this.code = code;
    }

    public static EtcdCallException of(String what, Throwable failure) {
        Throwable cause = Futures.cause(failure);
        if (cause instanceof EtcdCallException known) {
            return known;
        }
        cause = unavailable(cause).<Throwable>map(hidden -> hidden).orElse(cause);
        String message = cause.getMessage();
        String why = message == null ? cause.getClass().getSimpleName() : message;
        return new EtcdCallException(what + " failed: " + why, code(cause), cause);
    }

    /** A status that means nothing to the driver, in place of one that makes it try again. */
    static Status hideUnavailable(Status status) {
        return status.getCode() == Status.Code.UNAVAILABLE
                ? Status.ABORTED.withCause(status.asRuntimeException())
                : status;
    }

    /** What {@link #hideUnavailable} has hidden. */
    static Optional<StatusRuntimeException> unavailable(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof StatusRuntimeException hiding
                    && hiding.getStatus().getCode() == Status.Code.ABORTED
                    && hiding.getCause() instanceof StatusRuntimeException hidden) {
                return Optional.of(hidden);
            }
        }
        return Optional.empty();
    }

    /** The answer, if any, did not say whether it was done. */
    public static EtcdCallException unanswered(String what) {
        return new EtcdCallException(what + " was not answered", Status.Code.UNAVAILABLE, null);
    }

    /** Too many others were under way. */
    static EtcdCallException unsent(int others) {
        return new EtcdCallException(
                "a call was not sent, since " + others + " others were under way for the time of a call",
                Status.Code.RESOURCE_EXHAUSTED,
                null);
    }

    /** etcd has answered, and nobody is ahead in the queue. */
    public static EtcdCallException leaseLost() {
        return new EtcdCallException(
                "a lease was lost a moment ago, and its holder may not know yet",
                Status.Code.FAILED_PRECONDITION,
                null);
    }

    private static Status.Code code(Throwable cause) {
        Status.Code code = Status.fromThrowable(cause).getCode();
        if (code == Status.Code.UNKNOWN && cause instanceof EtcdException known) {
            // Its codes are named like gRPC's.
            return Status.Code.valueOf(known.getErrorCode().name());
        }
        return code;
    }

    /** Whether etcd may have carried it out anyway. */
    public boolean mayBeApplied() {
        return switch (code) {
            case NOT_FOUND,
                    PERMISSION_DENIED,
                    UNAUTHENTICATED,
                    INVALID_ARGUMENT,
                    FAILED_PRECONDITION,
                    RESOURCE_EXHAUSTED,
                    UNIMPLEMENTED,
                    OUT_OF_RANGE -> false;
            default -> true;
        };
    }

    /** Whether the user lacks the right: asking again would not help. */
    public boolean isDenied() {
        return code == Status.Code.PERMISSION_DENIED;
    }

    /** Whether a transaction has more operations, or bytes, than the server is set to allow; others have the same code. */
    public boolean isRefusedAsTooLarge() {
        String why = String.valueOf(getMessage());
        return code == Status.Code.INVALID_ARGUMENT && (why.contains("too many") || why.contains("too large"));
    }

    /** Whether the lease that the call named does not exist. */
    public boolean isLeaseNotFound() {
        return code == Status.Code.NOT_FOUND;
    }
}
