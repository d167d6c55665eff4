package io.distlock.etcd.client;

import io.etcd.jetcd.common.exception.EtcdException;
import io.grpc.Status;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** A failed call to etcd: the driver's errors, translated once. It has no stack trace; its cause does. */
public final class EtcdCallException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public static final String LEASE_LOST = "a lease was lost a moment ago, and its holder may not know yet";

    private final Status.Code code;

    private EtcdCallException(String message, Status.Code code, @Nullable Throwable cause) {
        super(message, cause, false, false);
        this.code = code;
    }

    public static EtcdCallException of(String what, Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof EtcdCallException known) {
            return known;
        }
        String message = cause.getMessage();
        String why = message == null ? cause.getClass().getSimpleName() : message;
        return new EtcdCallException(what + " failed: " + why, code(cause), cause);
    }

    /** The answer, if any, did not say whether it was done. */
    public static EtcdCallException unanswered(String what) {
        return new EtcdCallException(what + " was not answered", Status.Code.UNAVAILABLE, null);
    }

    /** etcd has answered, and nobody is ahead in the queue. */
    public static EtcdCallException leaseLost() {
        return new EtcdCallException(LEASE_LOST, Status.Code.FAILED_PRECONDITION, null);
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

    /** Whether the lease that the call named does not exist. */
    public boolean isLeaseNotFound() {
        return code == Status.Code.NOT_FOUND;
    }
}
