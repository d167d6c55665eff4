package io.distlock.spring.endpoint;

import io.distlock.LockMode;
import io.distlock.LossReason;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The locks of this instance.
 *
 * @param held what it holds, longest first
 * @param waiting the calls that wait, longest first
 * @param losses the latest locks that it lost, newest first
 */
public record LocksDescriptor(Page<Held> held, Page<Waiting> waiting, List<Loss> losses)
        implements OperationResponseBody {

    /**
     * One lock that is held.
     *
     * @param name its name
     * @param key its key, if it has one
     * @param id how it is called in the path of an inspection
     * @param provider who keeps it
     * @param mode how it is held
     * @param token the fencing token
     * @param owner the owner value in the store
     * @param since when it was granted
     * @param heldMillis for how long it has been held
     * @param remainingMillis for how long it is valid if no renewal comes
     * @param renewals how often it has been extended
     * @param thread who asked for it
     */
    public record Held(
            String name,
            @Nullable String key,
            String id,
            String provider,
            LockMode mode,
            long token,
            String owner,
            Instant since,
            long heldMillis,
            long remainingMillis,
            int renewals,
            String thread) {}

    /**
     * One call that waits.
     *
     * @param name the name of the lock
     * @param key its key, if it has one
     * @param id how the lock is called in the path of an inspection
     * @param provider who is asked
     * @param mode how it is asked for
     * @param since when the call came
     * @param waitedMillis for how long it has waited
     * @param remainingMillis for how long it goes on waiting
     * @param thread who asks
     */
    public record Waiting(
            String name,
            @Nullable String key,
            String id,
            String provider,
            LockMode mode,
            Instant since,
            long waitedMillis,
            long remainingMillis,
            String thread) {}

    /**
     * One lock that was lost.
     *
     * @param name its name
     * @param key its key, if it has one
     * @param provider who kept it
     * @param mode how it was held
     * @param token the fencing token
     * @param at when it was lost
     * @param heldMillis for how long it had been held
     * @param sinceRenewalMillis since when it had not been extended
     * @param reason why it was lost
     */
    public record Loss(
            String name,
            @Nullable String key,
            String provider,
            LockMode mode,
            long token,
            Instant at,
            long heldMillis,
            long sinceRenewalMillis,
            LossReason reason) {}
}
