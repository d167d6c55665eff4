package io.distlock.etcd;

import io.distlock.FencingToken;
import io.distlock.Release;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Where one acquisition stands in the queue, as far as it knows: nowhere yet, perhaps, or for certain. However it gets
 * away from there, it leaves nothing behind. Belongs to the acquisition's step.
 */
final class Foothold {

    private final EtcdQueue queue;
    private final LeaseRequest request;

    private @Nullable Place place;

    /** Zero until it is known that the place was taken. */
    private long createRevision;

    /** A request to take the place may be carried out once more, at any time. */
    private boolean doubtful;

    Foothold(EtcdQueue queue, LeaseRequest request) {
        this.queue = queue;
        this.request = request;
    }

    boolean isNowhere() {
        return place == null;
    }

    /** Whether the place was seen at the server. */
    boolean isCertain() {
        return place != null && createRevision != 0;
    }

    Place place() {
        return Objects.requireNonNull(place, "no place in the queue");
    }

    /** Goes for a place that hangs on a session. */
    void on(Session session) {
        place = queue.placeOf(request, session);
        createRevision = 0;
        doubtful = false;
    }

    /** Takes the place if it is not certain, and looks who is ahead. */
    CompletableFuture<Place.Finding> look() {
        return isCertain()
                ? queue.calls().look(place(), createRevision)
                : queue.calls().enter(place());
    }

    void found(Place.Standing standing) {
        createRevision = standing.createRevision();
        doubtful |= standing.doubtful();
    }

    /** A look that failed may have taken the place, or may yet do so. */
    void mayBeTaken() {
        doubtful |= createRevision == 0;
    }

    /** The place becomes the lock's, and is no longer the acquisition's. */
    EtcdLease toLease() {
        EtcdLease lease = new EtcdLease(place(), new FencingToken(createRevision), doubtful);
        place = null;
        return lease;
    }

    /** Leaves a place that is certain; fails if there is no answer in time. What is known to be gone is forgotten. */
    CompletableFuture<Release> leave(Duration limit) {
        CompletableFuture<Release> left =
                doubtful ? queue.calls().withdraw(place()) : queue.calls().leave(place().key(), createRevision);
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
        place = null;
        createRevision = 0;
        if (gone != null) {
            queue.leave(gone);
        }
    }

    /** Sees to it, in the background, that it goes. */
    void giveUp() {
        Place leftover = place;
        if (leftover != null && (doubtful || createRevision == 0)) {
            queue.withdraw(leftover);
        } else if (leftover != null) {
            queue.remove(leftover, createRevision);
        }
        forget();
    }
}
