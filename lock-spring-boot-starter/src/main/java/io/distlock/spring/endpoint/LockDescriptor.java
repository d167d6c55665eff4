package io.distlock.spring.endpoint;

import io.distlock.LockMode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What the store knows about one lock.
 *
 * @param name its name
 * @param key its key, if it has one
 * @param provider who was asked
 * @param mode how it is held
 * @param holders who hold it: one, unless it is shared
 * @param waiters how many wait for it, over all instances, where the store knows
 */
public record LockDescriptor(
        String name,
        @Nullable String key,
        String provider,
        LockMode mode,
        List<Holder> holders,
        @Nullable Integer waiters)
        implements OperationResponseBody {

    /**
     * One holder.
     *
     * @param instance the application and instance that the owner value names, if it does
     * @param owner the owner value
     * @param here whether it is this instance
     * @param token the fencing token, if it has one
     * @param remainingMillis until the store frees the lock by itself, if it ever does
     */
    public record Holder(
            @Nullable String instance,
            String owner,
            boolean here,
            @Nullable Long token,
            @Nullable Long remainingMillis) {}
}
