package io.distlock.etcd;

import io.distlock.FencingToken;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.etcd.jetcd.ByteSequence;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Where one acquisition stands in the queue, as far as it knows: nowhere yet, perhaps, or for certain. However it gets
 * away from there, it leaves nothing behind. Belongs to the acquisition's step.
 */
final class Foothold {

    /**
     * For how long a lock that looks free is not granted after a lease has gone, unless the lock-delay is longer. A leader
     * that was frozen and thaws takes away leases that its successor has extended. Their holders learn of it by their
     * watches, within a round trip or two, but believe in their locks until then; a second is time for that, and for the
     * pauses of a garbage collector.
     */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final EtcdQueue queue;
    private final LeaseRequest request;

    private @Nullable Place place;

    /** How many places it has gone for. */
    private int places;

    /** Zero until it is known that the place was taken. */
    private long createRevision;

    /** The request to take the place was not answered: it may have been carried out, or may yet be. */
    private boolean doubtful;

    private Deadline graceEnds;

    Foothold(EtcdQueue queue, LeaseRequest request) {
        this.queue = queue;
        this.request = request;
        this.graceEnds = queue.limit(Duration.ZERO);
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
        place = queue.placeOf(request, session, places++);
        queue.sessions().sinceLoss().ifPresent(this::leaseGone);
    }

    /** A lease has gone so long ago: the own one, or that of the one ahead. With it others' may have gone. */
    private void leaseGone(Duration since) {
        Duration delay = request.options().lockDelay();
        Deadline ends = queue.limit((delay.compareTo(GRACE) > 0 ? delay : GRACE).minus(since));
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
    CompletableFuture<Place.Finding> look(@Nullable ByteSequence before) {
        return isCertain()
                ? queue.calls().look(place(), createRevision, before)
                : queue.calls().enter(place());
    }

    void found(Place.Standing standing) {
        createRevision = standing.createRevision();
        if (standing.leaseGone()) {
            leaseGone(Duration.ZERO);
        }
    }

    void found(Place.Gone gone) {
        if (gone.leaseGone()) {
            leaseGone(Duration.ZERO);
        }
    }

    /** A look that failed may have taken the place, or may yet do so. */
    void mayBeTaken() {
        doubtful |= place != null && !isCertain();
    }

    /**
     * Sees to it that a doubtful place is not there and cannot come to be; fails if there is no answer. The next place has
     * another key, which no request that is still under way concerns.
     */
    CompletableFuture<Release> withdraw() {
        return queue.calls().withdraw(place());
    }

    /** The place becomes the lock's, and is no longer the acquisition's. */
    EtcdLease toLease() {
        EtcdLease lease = new EtcdLease(place(), new FencingToken(createRevision));
        clear();
        return lease;
    }

    /** Leaves a place that is certain; fails if there is no answer in time. What is known to be gone is forgotten. */
    CompletableFuture<Release> leave(Duration limit) {
        CompletableFuture<Release> left = queue.calls().leave(place().key(), createRevision);
        return queue.runtime().timeouts().within(limit, left).thenApply(release -> {
            if (release == Release.RELEASED) {
                forget();
            }
            return release;
        });
    }

    /** It is gone at the server, or somebody else sees to that. */
    void forget() {
        Place gone = place;
        clear();
        if (gone != null) {
            queue.sessions().leave(gone.session());
        }
    }

    /** Sees to it, in the background, that it goes. */
    void giveUp() {
        if (isCertain() && !grace().isZero()) {
            // Whoever comes next does not know that a lease has gone, and would not wait.
            queue.runtime().scheduler().schedule(this::giveUp, grace());
            return;
        }
        if (doubtful) {
            queue.withdraw(place());
        } else if (isCertain()) {
            queue.remove(place(), createRevision);
        }
        forget();
    }

    private void clear() {
        place = null;
        createRevision = 0;
        doubtful = false;
    }
}
