package io.distlock.engine;

import io.distlock.LockEvent;
import io.distlock.LockHold;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LossReason;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Lease;
import io.distlock.spi.Moment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * What stays as it is from the grant of a key to its end, and what can be told of it. A class above {@link HeldKey} and
 * not a part of it: that is one object fewer for each of thousands of held locks.
 */
abstract sealed class GrantedKey permits RenewedKey {

    private static final Logger log = LoggerFactory.getLogger(HeldKey.class);

    final Engine engine;
    final LockOptions options;
    private final Lease lease;
    private final KeyGates.Ticket ticket;
    private final String asker;
    private final long grantedNanos;

    GrantedKey(Engine engine, LockOptions options, Lease lease, KeyGates.Ticket ticket, String asker) {
        this.engine = engine;
        this.options = options;
        this.lease = lease;
        this.ticket = ticket;
        this.asker = asker;
        this.grantedNanos = engine.ticker().nanos();
    }

    final Lease lease() {
        return lease;
    }

    public final List<LockKey> keys() {
        return List.of(lease.key());
    }

    public final LockMode mode() {
        return lease.mode();
    }

    public final List<Sequencer> sequencers() {
        return List.of(new Sequencer(lease.key(), lease.mode(), lease.token()));
    }

    final Duration heldFor() {
        return engine.since(grantedNanos);
    }

    final long maxHoldUntil() {
        return grantedNanos + options.maxHoldTime().toNanos();
    }

    /** What is left of a lease that is counted from a moment; negative once it is over. */
    final long validNanos(Moment since) {
        return engine.validityNanos(options) - since.elapsedNanos(engine.ticker());
    }

    /** The loss of a lease that was last counted from a moment. */
    final LockLoss loss(LossReason reason, Moment since) {
        Duration sinceRenewal = Duration.ofNanos(since.elapsedNanos(engine.ticker()));
        return new LockLoss(lease.key(), lease.mode(), lease.token(), reason, heldFor(), sinceRenewal);
    }

    static void log(LockLoss loss) {
        // Of those that end with their client there may be thousands; whoever closes it warns of all of them at once.
        log.atLevel(loss.reason() == LossReason.CLIENT_CLOSED ? Level.DEBUG : Level.WARN)
                .addKeyValue("lock", loss.key().name())
                .addKeyValue("key", loss.key().key().orElse(""))
                .addKeyValue("token", loss.token().value())
                .addKeyValue("heldMillis", loss.heldFor().toMillis())
                .addKeyValue("sinceRenewalMillis", loss.sinceRenewal().toMillis())
                .addKeyValue("reason", loss.reason())
                .log(
                        "Lost lock '{}' (token {}) after {} ms, {} ms after the last renewal: {}",
                        loss.key(),
                        loss.token(),
                        loss.heldFor().toMillis(),
                        loss.sinceRenewal().toMillis(),
                        loss.reason().explanation());
    }

    /** For people to look at. */
    final LockHold hold(long now, Duration remaining, int renewals) {
        Duration heldFor = Engine.between(grantedNanos, now);
        return new LockHold(
                lease.key(), lease.mode(), lease.token(), lease.owner(), heldFor, remaining, renewals, asker);
    }

    /** Lets in whoever waits here for the key. */
    final void leaveGate() {
        engine.gates().leave(ticket);
    }

    final CompletableFuture<Release> giveBack() {
        Duration timeToLive = options.leaseTime().plus(options.lockDelay());
        return engine.giveBack(lease, timeToLive, () -> options.minHoldTime().minus(heldFor()));
    }

    final void publishReleased(Release outcome) {
        engine.listeners()
                .publish(() -> new LockEvent.Released(lease.key(), mode(), lease.token(), heldFor(), outcome));
    }

    final void publishRenewed(boolean confirmed) {
        engine.listeners().publish(() -> new LockEvent.Renewed(lease.key(), lease.mode(), lease.token(), confirmed));
    }
}
