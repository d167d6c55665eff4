package io.distlock.shedlock;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockLostException;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;

/**
 * ShedLock's lock provider on a {@link LockClient}: an application that uses {@code @SchedulerLock} changes this one bean.
 *
 * <p>ShedLock's lock name is the name of the lock. {@code lockAtMostFor} is its lease time, which is not renewed: {@link
 * LockOptions#MIN_LEASE} to {@link LockOptions#MAX_LEASE}. {@code lockAtLeastFor} is its minimum hold time, which the store
 * keeps even if this process ends. A lock can be extended, as far as its provider can. If the store does not answer, ShedLock's
 * {@link LockException} is thrown, with the cause: that is not the same as a lock that another holds.
 *
 * <p>Thread-safe.
 */
public final class DistlockLockProvider implements ExtensibleLockProvider {

    private final LockClient client;

    /** Locks through this client, which the caller closes. */
    public DistlockLockProvider(LockClient client) {
        this.client = client;
    }

    /**
     * Tries once.
     *
     * @throws LockException if the store did not answer
     * @throws IllegalArgumentException if the configuration breaks a rule for names or times
     */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        LockOptions options = client.options()
                .withRenew(false)
                .withWaitTime(Duration.ZERO)
                .withMaxHoldTime(LockOptions.MAX_HOLD)
                .withLeaseTime(configuration.getLockAtMostFor())
                .withMinHoldTime(configuration.getLockAtLeastFor());
        return asked(() -> client.tryAcquire(
                        client.request(configuration.getName()).withOptions(options)))
                .map(held -> new ShedLock(configuration, held));
    }

    private static <T> T asked(Supplier<T> store) {
        try {
            return store.get();
        } catch (LockUnavailableException silent) {
            throw new LockException(String.valueOf(silent.getMessage()), silent);
        }
    }

    /** A lock as ShedLock sees it; an extension makes another of it. */
    private static final class ShedLock extends AbstractSimpleLock {

        private final HeldLock held;

        ShedLock(LockConfiguration configuration, HeldLock held) {
            super(configuration);
            this.held = held;
        }

        @Override
        protected void doUnlock() {
            held.release();
        }

        @Override
        protected Optional<SimpleLock> doExtend(LockConfiguration configuration) {
            try {
                asked(() -> held.extend(configuration.getLockAtMostFor(), configuration.getLockAtLeastFor()));
            } catch (LockLostException lost) {
                return Optional.empty();
            }
            return Optional.of(new ShedLock(configuration, held));
        }
    }
}
