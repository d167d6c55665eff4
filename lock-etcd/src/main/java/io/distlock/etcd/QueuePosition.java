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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An acquisition's place in the queue: none, doubtful or certain. Every exit path removes the key. For one step at a time. */
final class QueuePosition {

    /**
     * How long a lock that looks free is not granted after a lease is lost, unless a lock-delay is longer. A frozen leader
     * may resume and revoke leases that its successor has extended. Their holders' watches report it within a round trip or
     * two; a second is also enough for a garbage-collection pause.
     */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private static final Duration LONGEST_REAPING = Duration.ofHours(1);

    private final EtcdLockProvider provider;
    private final LeaseRequest request;

    private @Nullable Place place;
    private int placesTried;

    /** The last look; null until the place was seen on the server. */
    private @Nullable Standing standing;

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
        return standing != null;
    }

    boolean isDoubtful() {
        return doubtful;
    }

    Place place() {
        return Objects.requireNonNull(place, "no place in the queue");
    }

    Standing standing() {
        return Objects.requireNonNull(standing, "the place is not certain");
    }

    void on(Session session) {
        int attempt = placesTried++;
        ByteSequence key = provider.keys.place(request.key(), request.mode(), session.id(), attempt, request.owner());
        place = new Place(request, key, session, attempt, session.epoch());
        provider.sessions.sinceLoss().ifPresent(this::leaseGone);
    }

    /** Our lease or the predecessor's was lost this long ago, and perhaps others. The holder's lock-delay counts, if known. */
    private void leaseGone(Duration since) {
        Duration own = request.options().lockDelay();
        Duration delay = longer(standing == null ? own : longer(own, standing.lockDelayAhead()), GRACE);
        Deadline ends = provider.limit(delay.minus(since));
        graceEnds = ends.nanos() - graceEnds.nanos() > 0 ? ends : graceEnds;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    Duration grace() {
        return graceEnds.remaining();
    }

    /** Takes the place unless it is certain, and finds who is ahead; {@code before} was ahead last time. */
    CompletableFuture<Finding> look(@Nullable ByteSequence before) {
        return isCertain()
                ? provider.transactions.look(place(), standing().createRevision(), before)
                : provider.transactions.enter(place());
    }

    void found(Finding finding) {
        if (finding.leaseGone()) {
            leaseGone(Duration.ZERO);
        }
        if (finding instanceof Standing seen) {
            standing = seen;
        }
    }

    void mayBeTaken() {
        doubtful |= place != null && !isCertain();
    }

    Grant toGrant() {
        Grant grant = provider.grantedLocks.add(place(), standing().createRevision());
        clear();
        return grant;
    }

    /** Leaves a place that is certain; fails if there is no answer in time. */
    CompletableFuture<Release> leave(Duration limit) {
        CompletableFuture<Release> left =
                provider.transactions.leave(place().key(), standing().createRevision());
        return provider.runtime.timeouts().within(limit, left).whenComplete((release, failure) -> {
            if (release == Release.RELEASED) {
                forget();
            }
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
        if (doubtful) {
            reap(provider.transactions::withdraw);
        } else if (isCertain()) {
            long created = standing().createRevision();
            reap(left -> provider.transactions.leave(left.key(), created));
        }
        forget();
    }

    /** The place lasts no longer than its session, which others may keep alive for long. */
    private void reap(Function<Place, CompletableFuture<Release>> remove) {
        Place left = place();
        String what = "The place of " + request.owner() + " in the queue for '" + request.key() + "'";
        // Asks at least once: a session lost only by the clock may still exist.
        Supplier<CompletableFuture<Release>> removal = () -> remove.apply(left)
                .exceptionally(failure -> Release.UNKNOWN)
                .thenApply(release -> left.session().isLost() ? Release.RELEASED : release);
        provider.runtime.reaper().reap(what, LONGEST_REAPING, removal);
    }

    private void clear() {
        place = null;
        standing = null;
        doubtful = false;
    }

    /** One key in a lock's queue, which exists or is about to. It is taken at most once, if the session's epoch is this. */
    record Place(LeaseRequest request, ByteSequence key, Session session, int attempt, long epoch) {}

    sealed interface Finding {

        /** Whether the predecessor, or the place itself, lost its lease; otherwise its key was deleted. */
        default boolean leaseGone() {
            return false;
        }
    }

    /** It exists, as seen at a revision. Its create revision is the fencing token once there is no predecessor. */
    record Standing(
            long createRevision,
            Optional<ByteSequence> predecessor,
            Duration lockDelayAhead,
            boolean leaseGone,
            long seen)
            implements Finding {}

    record Gone(boolean leaseGone) implements Finding {}

    /** It was not taken: somebody is ahead, and the request does not wait. */
    record Occupied() implements Finding {}

    /** It was not taken, and never will be: a withdrawal has advanced the session's epoch, or the session is lost. */
    record Refused() implements Finding {}
}
