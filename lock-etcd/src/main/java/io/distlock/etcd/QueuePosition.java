package io.distlock.etcd;

import io.distlock.Release;
import io.distlock.etcd.QueueFinding.Standing;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.etcd.jetcd.ByteSequence;
import java.time.Duration;
import java.util.Objects;
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

    private final EtcdQueues queues;
    private final LeaseRequest request;

    private @Nullable QueuePlace place;
    private int placesTried;

    /** The last look; null until the place was seen on the server. */
    private @Nullable Standing standing;

    /** The request to take the place was not answered: it may have been carried out, or may yet be. */
    private boolean doubtful;

    private Deadline graceEnds;

    QueuePosition(EtcdQueues queues, LeaseRequest request) {
        this.queues = queues;
        this.request = request;
        this.graceEnds = queues.limit(Duration.ZERO);
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

    QueuePlace place() {
        return Objects.requireNonNull(place, "no place in the queue");
    }

    Standing standing() {
        return Objects.requireNonNull(standing, "the place is not certain");
    }

    void on(Session session) {
        int attempt = placesTried++;
        ByteSequence key =
                queues.transactions.keys().place(request.key(), request.mode(), session.id(), attempt, request.owner());
        place = new QueuePlace(request, key, session, attempt, session.epoch());
        queues.sessions.sinceLoss().ifPresent(this::leaseGone);
    }

    /** Our lease or the predecessor's was lost this long ago, and perhaps others. The holder's lock-delay counts, if known. */
    private void leaseGone(Duration since) {
        Duration own = request.options().lockDelay();
        Duration delay = longer(standing == null ? own : longer(own, standing.lockDelayAhead()), GRACE);
        Deadline ends = queues.limit(delay.minus(since));
        graceEnds = ends.nanos() - graceEnds.nanos() > 0 ? ends : graceEnds;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    Duration grace() {
        return graceEnds.remaining();
    }

    /** Takes the place unless it is certain, and finds who is ahead; {@code before} was ahead last time. */
    CompletableFuture<QueueFinding> look(@Nullable ByteSequence before) {
        return isCertain()
                ? queues.transactions.look(place(), standing().createRevision(), before)
                : queues.transactions.enter(place());
    }

    void found(QueueFinding finding) {
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
        Grant grant = queues.leases.add(place(), standing().createRevision());
        clear();
        return grant;
    }

    /** Leaves a place that is certain; fails if there is no answer in time. */
    CompletableFuture<Release> leave(Duration limit) {
        CompletableFuture<Release> left =
                queues.transactions.leave(place().key(), standing().createRevision());
        return queues.runtime.timeouts().within(limit, left).whenComplete((release, failure) -> {
            if (release == Release.RELEASED) {
                forget();
            }
        });
    }

    /** The place is gone from the server or will expire. */
    void forget() {
        QueuePlace gone = place;
        clear();
        if (gone != null) {
            queues.sessions.leave(gone.session());
        }
    }

    void giveUp() {
        if (isCertain() && !grace().isZero()) {
            // The next caller does not know that a lease was lost, and would skip the grace.
            queues.runtime.scheduler().schedule(this::giveUp, grace());
            return;
        }
        if (doubtful) {
            reap(queues.transactions::withdraw);
        } else if (isCertain()) {
            long created = standing().createRevision();
            reap(left -> queues.transactions.leave(left.key(), created));
        }
        forget();
    }

    /** The place lasts no longer than its session, which others may keep alive for long. */
    private void reap(Function<QueuePlace, CompletableFuture<Release>> remove) {
        QueuePlace left = place();
        String what = "The place of " + request.owner() + " in the queue for '" + request.key() + "'";
        // Asks at least once: a session lost only by the clock may still exist.
        Supplier<CompletableFuture<Release>> removal = () -> remove.apply(left)
                .exceptionally(failure -> Release.UNKNOWN)
                .thenApply(release -> left.session().isLost() ? Release.RELEASED : release);
        queues.runtime.reaper().reap(what, LONGEST_REAPING, removal);
    }

    private void clear() {
        place = null;
        standing = null;
        doubtful = false;
    }
}
