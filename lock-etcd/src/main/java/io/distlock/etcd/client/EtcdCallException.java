package io.distlock.etcd.client;

import io.etcd.jetcd.common.exception.EtcdException;
import io.grpc.Status;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** etcd did not do what it was asked: the driver's errors, translated once. Has no stack trace, the cause does. */
public final class EtcdCallException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public static final String LEASE_LOST = "a lease was lost a moment ago, and its holder may not know yet";

    private final Status.Code code;

    private EtcdCallException(String message, Status.Code code, @Nullable Throwable cause) {
        super(message, cause, false, false);
        this.code = code;
    }

    /** The failure of a call, which may have been wrapped on its way. */
    public static EtcdCallException of(String what, Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof EtcdCallException known) {
            return known;
        }
        return new EtcdCallException(what + " failed: " + describe(cause), code(cause), cause);
    }

    /** What was asked got no answer that says anything. */
    public static EtcdCallException unanswered(String what) {
        return new EtcdCallException(what + " was not answered", Status.Code.UNAVAILABLE, null);
    }

    /** No failure of etcd's: it has answered, and nobody is ahead. */
    public static EtcdCallException leaseLost() {
        return new EtcdCallException(LEASE_LOST, Status.Code.FAILED_PRECONDITION, null);
    }

    private static String describe(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }

    private static Status.Code code(Throwable cause) {
        Status.Code code = Status.fromThrowable(cause).getCode();
        if (code == Status.Code.UNKNOWN && cause instanceof EtcdException known) {
            // Its codes have the names of gRPC's.
            return Status.Code.valueOf(known.getErrorCode().name());
        }
        return code;
    }

    /** Whether etcd may have done it nevertheless. */
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
