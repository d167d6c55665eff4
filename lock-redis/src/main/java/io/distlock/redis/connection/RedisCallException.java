package io.distlock.redis.connection;

import io.distlock.support.WarmUp;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import org.jspecify.annotations.Nullable;

/** Redis did not do what it was asked: the driver's errors, translated once. Has no stack trace; the cause does. */
public class RedisCallException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean mayBeApplied;

    public RedisCallException(String what, Throwable cause, boolean mayBeApplied) {
        this(what + " failed: " + WarmUp.reason(cause), mayBeApplied, cause);
    }

    public RedisCallException(String message, boolean mayBeApplied) {
        this(message, mayBeApplied, null);
    }

    private RedisCallException(@Nullable String message, boolean mayBeApplied, @Nullable Throwable cause) {
        super(message, cause, false, false);
        this.mayBeApplied = mayBeApplied;
    }

    /** Whether Redis may still have executed the call. */
    public boolean mayBeApplied() {
        return mayBeApplied;
    }

    /** Whether a cluster node lacked the script or some of the keys. It did nothing. */
    public boolean isOfMovingKeys() {
        Throwable cause = getCause();
        return cause instanceof RedisNoScriptException
                || (cause instanceof RedisCommandExecutionException
                        && String.valueOf(cause.getMessage()).startsWith("TRYAGAIN"));
    }

    /** The same failure, of a step that only prepared the call. */
    public RedisCallException withoutEffect() {
        return new RedisCallException(getMessage(), false, getCause());
    }

    /** The failure of a stage, which may have been wrapped. */
    public static RedisCallException of(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof RedisCallException known) {
                return known;
            }
        }
        return new RedisCallException("a call", failure, true);
    }
}
