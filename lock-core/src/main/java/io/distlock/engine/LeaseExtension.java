package io.distlock.engine;

import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.spi.Lease;
import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** One call to extend a lock without automatic renewal. Its answer counts however late it arrives, like that to a renewal. */
record LeaseExtension(
        DefaultHeldLock lock, Moment sent, long validNanos, Duration minHoldTime, CompletableFuture<Renewal> outcome)
        implements Renewal.Answers {

    /** Asks the store; what is returned waits for the answer, and throws unless it confirms the extension. */
    static Runnable start(DefaultHeldLock lock, Duration leaseTime, Duration minHoldTime) {
        lock.ensureHeld();
        if (lock.options.renew()) {
            throw new IllegalStateException("lock '" + lock.lease().key()
                    + "' is renewed automatically: to extend it yourself, request it withRenew(false)");
        }
        LockOptions extended = lock.options.withLeaseTime(leaseTime).withMinHoldTime(minHoldTime);
        lock.context.provider().validate(extended);
        ClientContext context = lock.context;
        Moment sent = context.ticker().now();
        long most = Math.max(0, lock.maxHoldUntil() - sent.nanos());
        Duration lease = Duration.ofNanos(Math.min(most, extended.leaseTime().toNanos()));
        Duration timeToLive = longer(lease.plus(extended.lockDelay()), minHoldTime);
        LeaseExtension extension =
                new LeaseExtension(lock, sent, context.validityNanos(lease), minHoldTime, new CompletableFuture<>());
        lock.mayLast(timeToLive);
        context.provider().extend(lock.lease(), timeToLive, extension);
        CompletableFuture<Renewal> inTime = context.runtime()
                .timeouts()
                .within(context.provider().callTimeout(), extension.outcome)
                .exceptionally(late -> Renewal.UNKNOWN);
        return () -> check(lock, inTime.join());
    }

    static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static void check(DefaultHeldLock lock, Renewal outcome) {
        if (outcome == Renewal.UNKNOWN && lock.isHeld()) {
            lock.publishRenewed(false);
            String why = "the store did not confirm its extension; it is held for another "
                    + lock.remaining().toMillis() + " ms";
            throw new LockUnavailableException(
                    lock.lease().key(), lock.context.provider().callTimeout(), why, null);
        }
        lock.ensureHeld();
    }

    @Override
    public void answer(Lease lease, Renewal renewal) {
        answer(renewal, sent);
    }

    @Override
    public void renewedSince(Lease lease, Moment since) {
        answer(Renewal.RENEWED, since);
    }

    private void answer(Renewal renewal, Moment since) {
        lock.answered(renewal, since, validNanos);
        if (renewal == Renewal.RENEWED) {
            lock.lastAtLeast(minHoldTime);
        }
        outcome.complete(renewal);
    }
}
