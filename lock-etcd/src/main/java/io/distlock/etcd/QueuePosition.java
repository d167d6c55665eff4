package io.distlock.etcd;

import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.etcd.jetcd.ByteSequence;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition's position in the queue: none, possibly created, or confirmed. Every exit path removes the key. Used by
 * one step at a time.
 */
final class QueuePosition {

    /**
     * How long a lock that looks free is not granted after a lease is lost, unless the lock-delay is longer. A frozen leader
     * may resume and revoke leases that its successor has extended. Their holders rely on their locks until their watches
     * report it, within a round trip or two. A second is enough for that, and for garbage-collection pauses.
     */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private static final Duration LONGEST_REAPING = Duration.ofHours(1);

    private final EtcdLockProvider provider;
    private final LeaseRequest request;

    private @Nullable Place place;

    private int placesTried;

    /** Zero until the place is seen on the server. */
    private long createRevision;

    private long seen;

    /** The request to take the place was not answered: it may have been carried out, or may yet be. */
    private boolean doubtful;

    private Deadline graceEnds;

    QueuePosition(EtcdLockProvider provider, LeaseRequest request) {
        this.provider = provider;
        this.request = request;
        this.graceEnds = provider.limit(Duration.ZERO);
    }

    boolean isNowhere() {
        return place == null;
    }

    boolean isCertain() {
        return createRevision != 0;
    }

    /** The revision of the last look. */
    long seen() {
        return seen;
    }

    boolean isDoubtful() {
        return doubtful;
    }

    Place place() {
        return Objects.requireNonNull(place, "no place in the queue");
    }

    void on(Session session) {
        EtcdKeys keys = provider.keys;
        int attempt = placesTried++;
        ByteSequence key = keys.place(request.key(), request.mode(), session.id(), attempt, request.owner());
        place = new Place(request, keys.of(request.key()), key, session, attempt, session.epoch());
        provider.sessions.sinceLoss().ifPresent(this::leaseGone);
    }

    /** Our lease or the predecessor's was lost this long ago, and perhaps others. */
    private void leaseGone(Duration since) {
        Duration delay = request.options().lockDelay();
        Deadline ends = provider.limit((delay.compareTo(GRACE) > 0 ? delay : GRACE).minus(since));
        graceEnds = ends.nanos() - graceEnds.nanos() > 0 ? ends : graceEnds;
    }

    Duration grace() {
        return graceEnds.remaining();
    }

    /** Takes the place unless certain, and finds who is ahead; {@code before} was ahead last time. */
    CompletableFuture<Finding> look(@Nullable ByteSequence before) {
        return isCertain()
                ? provider.transactions.look(place(), createRevision, before)
                : provider.transactions.enter(place());
    }

    void found(Finding finding) {
        if (finding instanceof Standing standing) {
            createRevision = standing.createRevision();
            seen = standing.seen();
        }
        if (finding.leaseGone()) {
            leaseGone(Duration.ZERO);
        }
    }

    /** A failed call may have taken the place, or may yet do so. */
    void mayBeTaken() {
        doubtful |= place != null && !isCertain();
    }

    /** Ensures that a doubtful place does not exist and never will; fails if there is no answer. */
    CompletableFuture<Release> withdraw() {
        return provider.transactions.withdraw(place());
    }

    Grant toGrant() {
        Grant grant = provider.grantedLocks.add(place(), createRevision);
        clear();
        return grant;
    }

    /** Leaves a place that is certain; fails if there is no answer in time. */
    CompletableFuture<Release> leave(Duration limit) {
        CompletableFuture<Release> left = provider.transactions.leave(place().key(), createRevision);
        return provider.runtime.timeouts().within(limit, left).thenApply(release -> {
            if (release == Release.RELEASED) {
                forget();
            }
            return release;
        });
    }

    /** The place is gone from the server or will expire. */
    void forget() {
        Place gone = place;
        clear();
        if (gone != null) {
            provider.sessions.leave(gone.session());
        }
    }

    void giveUp() {
        if (isCertain() && !grace().isZero()) {
            // The next caller does not know that a lease was lost, and would skip the grace.
            provider.runtime.scheduler().schedule(this::giveUp, grace());
            return;
        }
        long created = createRevision;
        if (doubtful) {
            reap(place(), provider.transactions::withdraw);
        } else if (isCertain()) {
            reap(place(), left -> provider.transactions.leave(left.key(), created));
        }
        forget();
    }

    /** The place lasts no longer than its session, which others may keep alive for long. */
    private void reap(Place left, Function<Place, CompletableFuture<Release>> remove) {
        provider.runtime
                .reaper()
                .reap(
                        "The place of " + request.owner() + " in the queue for '" + request.key() + "'",
                        LONGEST_REAPING,
                        // Asks at least once: a session lost only by the clock may still exist.
                        () -> remove.apply(left)
                                .exceptionally(failure -> Release.UNKNOWN)
                                .thenApply(release -> left.session().isLost() ? Release.RELEASED : release));
    }

    private void clear() {
        place = null;
        createRevision = 0;
        doubtful = false;
    }

    /**
     * One key in a lock's queue, which exists or is about to. No other acquisition uses it, and this one takes it only once.
     *
     * @param attempt how many others came before it
     * @param epoch the session's, compared when the place is taken
     */
    record Place(
            LeaseRequest request, EtcdKeys.Queue queue, ByteSequence key, Session session, int attempt, long epoch) {}

    sealed interface Finding {

        /** Whether the predecessor, or the place itself, lost its lease; otherwise its key was deleted. */
        default boolean leaseGone() {
            return false;
        }
    }

    /**
     * It exists.
     *
     * @param createRevision the order of the queue, and the fencing token once the lock is held
     * @param predecessor the key ahead; none if the lock is held
     * @param seen the revision at which it was found
     */
    record Standing(long createRevision, Optional<ByteSequence> predecessor, boolean leaseGone, long seen)
            implements Finding {}

    record Gone(boolean leaseGone) implements Finding {}

    /** It was not taken, and never will be: a withdrawal has advanced the session's epoch, or the session is lost. */
    record Refused() implements Finding {}
}
