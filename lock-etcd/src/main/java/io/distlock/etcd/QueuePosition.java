package io.distlock.etcd;

import io.distlock.FencingToken;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.etcd.jetcd.ByteSequence;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition's position in the queue, as far as it knows: none, a place that was possibly created, or one that was
 * confirmed. Every way out removes the place's key. Belongs to the acquisition's step.
 */
final class QueuePosition {

    /**
     * For how long a lock that looks free is not granted after a lease has gone, unless the lock-delay is longer. A leader
     * that was frozen and thaws takes away leases that its successor has extended. Their holders learn of it by their
     * watches, within a round trip or two, but believe in their locks until then; a second is time for that, and for the
     * pauses of a garbage collector.
     */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private static final Duration LONGEST_REAPING = Duration.ofHours(1);

    private final EtcdQueue.Context context;
    private final LeaseRequest request;

    private @Nullable Place place;

    /** How many places it has gone for. */
    private int places;

    /** Zero until it is known that the place was taken. */
    private long createRevision;

    /** The request to take the place was not answered: it may have been carried out, or may yet be. */
    private boolean doubtful;

    private Deadline graceEnds;

    QueuePosition(EtcdQueue.Context context, LeaseRequest request) {
        this.context = context;
        this.request = request;
        this.graceEnds = context.limit(Duration.ZERO);
    }

    boolean isNowhere() {
        return place == null;
    }

    /** Whether the place was seen at the server. */
    boolean isCertain() {
        return createRevision != 0;
    }

    boolean isDoubtful() {
        return doubtful;
    }

    Place place() {
        return Objects.requireNonNull(place, "no place in the queue");
    }

    /** Goes for a place that hangs on a session. */
    void on(Session session) {
        EtcdKeys keys = context.keys();
        ByteSequence key = keys.place(request.key(), request.mode(), session.id(), places++, request.owner());
        place = new Place(request, keys.of(request.key()), key, session, session.epoch());
        context.sessions().sinceLoss().ifPresent(this::leaseGone);
    }

    /** A lease has gone so long ago: the own one, or that of the one ahead. With it others' may have gone. */
    private void leaseGone(Duration since) {
        Duration delay = request.options().lockDelay();
        Deadline ends = context.limit((delay.compareTo(GRACE) > 0 ? delay : GRACE).minus(since));
        graceEnds = ends.nanos() - graceEnds.nanos() > 0 ? ends : graceEnds;
    }

    /** For how long a lock that looks free is not granted yet. */
    Duration grace() {
        return graceEnds.remaining();
    }

    /**
     * Takes the place if it is not certain, and looks who is ahead.
     *
     * @param before the one who was ahead the last time
     */
    CompletableFuture<Finding> look(@Nullable ByteSequence before) {
        return isCertain()
                ? context.transactions().look(place(), createRevision, before)
                : context.transactions().enter(place());
    }

    void found(Standing standing) {
        createRevision = standing.createRevision();
        if (standing.leaseGone()) {
            leaseGone(Duration.ZERO);
        }
    }

    void found(Gone gone) {
        if (gone.leaseGone()) {
            leaseGone(Duration.ZERO);
        }
    }

    /** A look that failed may have taken the place, or may yet do so. */
    void mayBeTaken() {
        doubtful |= place != null && !isCertain();
    }

    /**
     * Makes sure that a doubtful place is not there and cannot come to be; fails if there is no answer. The next place has
     * another key, which no request that is still under way concerns.
     */
    CompletableFuture<Release> withdraw() {
        return context.transactions().withdraw(place());
    }

    /** The place becomes the lock's, and is no longer the acquisition's. */
    EtcdLease toLease() {
        EtcdLease lease = new EtcdLease(place(), new FencingToken(createRevision));
        clear();
        return lease;
    }

    /** Leaves a place that is certain; fails if there is no answer in time. What is known to be gone is forgotten. */
    CompletableFuture<Release> leave(Duration limit) {
        CompletableFuture<Release> left = context.transactions().leave(place().key(), createRevision);
        return context.runtime().timeouts().within(limit, left).thenApply(release -> {
            if (release == Release.RELEASED) {
                forget();
            }
            return release;
        });
    }

    /** It is gone at the server, or will be without this. */
    void forget() {
        Place gone = place;
        clear();
        if (gone != null) {
            context.sessions().leave(gone.session());
        }
    }

    /** Makes sure, in the background, that it goes. */
    void giveUp() {
        if (isCertain() && !grace().isZero()) {
            // The next caller does not know that a lease has gone, and would not wait.
            context.runtime().scheduler().schedule(this::giveUp, grace());
            return;
        }
        long created = createRevision;
        if (doubtful) {
            reap(place(), context.transactions()::withdraw);
        } else if (isCertain()) {
            reap(place(), left -> context.transactions().leave(left.key(), created));
        }
        forget();
    }

    /** Others may keep the session alive for long; the place goes with it at the latest. */
    private void reap(Place left, Function<Place, CompletableFuture<Release>> remove) {
        context.runtime()
                .reaper()
                .reap(
                        "The place of " + request.owner() + " in the queue for '" + request.key() + "'",
                        LONGEST_REAPING,
                        // Asked once at least: a session that is lost by the clock alone may still be there.
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
     * One key in a lock's queue, there or about to be. It is the acquisition's own: nobody else ever uses it, and the
     * acquisition takes it only once.
     *
     * @param session what the key hangs on
     * @param epoch the session's, which the request that takes the place compares
     */
    record Place(LeaseRequest request, EtcdKeys.Queue queue, ByteSequence key, Session session, long epoch) {}

    /** How a place was found. */
    sealed interface Finding {}

    /**
     * It exists.
     *
     * @param createRevision the order of the queue, and the fencing token once the lock is held
     * @param leaseGone whether the one who was ahead before went with its lease, and not by releasing its key
     */
    record Standing(long createRevision, Ahead ahead, boolean leaseGone) implements Finding {}

    /**
     * It was there, and is no more.
     *
     * @param leaseGone whether it has ended with its session; otherwise it was deleted
     */
    record Gone(boolean leaseGone) implements Finding {}

    /** It was not taken, and never will be: a withdrawal has moved the session's epoch on, or the session is lost. */
    record Refused() implements Finding {}

    /** Whom one has to wait for. */
    sealed interface Ahead {

        /** Nobody: the lock is held. */
        record Nobody() implements Ahead {}

        /** The one whose key has to go first. */
        record Predecessor(ByteSequence key) implements Ahead {}

        /** Not known yet. */
        record Unknown() implements Ahead {}
    }
}
