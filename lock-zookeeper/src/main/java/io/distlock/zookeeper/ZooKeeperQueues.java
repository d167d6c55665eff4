package io.distlock.zookeeper;

import io.distlock.Release;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockRuntime;
import io.distlock.support.WaitingAcquisition;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** What the acquisitions of a provider share. Thread-safe. */
final class ZooKeeperQueues {

    /** How late the answer to a timely request may be. */
    private static final Duration LATE_ANSWER = Duration.ofMillis(100);

    private static final Duration LONGEST_REAPING = Duration.ofHours(1);

    final LockRuntime runtime;
    final ZooKeeperLockOptions options;
    final LockPaths paths;
    final ZooKeeperSessions sessions;
    final ZooKeeperLeases leases;

    private final Set<WaitingAcquisition> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    ZooKeeperQueues(LockRuntime runtime, ZooKeeperLockOptions options, ZooKeeperSessions sessions) {
        this.runtime = runtime;
        this.options = options;
        this.paths = new LockPaths(options.keyPrefix());
        this.sessions = sessions;
        this.leases = new ZooKeeperLeases(runtime, sessions);
        sessions.onLoss(leases::lost);
    }

    void enlist(WaitingAcquisition acquisition) {
        waiting.add(acquisition);
        if (closed) {
            acquisition.failClosed();
        }
    }

    void strike(WaitingAcquisition acquisition) {
        waiting.remove(acquisition);
    }

    boolean isClosed() {
        return closed;
    }

    /** A wait of zero gets a full round trip; any other ends soon after its deadline, even without an answer. */
    Duration answerLimit(LeaseRequest request) {
        Duration remaining = request.deadline().remaining();
        return remaining.isZero() ? options.callTimeout() : remaining.plus(LATE_ANSWER);
    }

    /** Deletes the node with this id, if it was made. */
    CompletableFuture<Release> withdraw(ZooKeeperSession session, String queue, String id) {
        return session.calls()
                .list(queue)
                .handle((names, failure) -> {
                    if (failure == null) {
                        return names.stream()
                                .flatMap(name -> QueueNode.of(name).stream())
                                .filter(node -> node.hasId(id))
                                .map(node -> session.calls().delete(queue + '/' + node.name()))
                                .findFirst()
                                .orElseGet(() -> CompletableFuture.completedFuture(Release.NOT_OWNER));
                    }
                    ZooKeeperCallException said = ZooKeeperCallException.of(failure);
                    return CompletableFuture.completedFuture(
                            said.isNoNode() || said.isExpired() ? Release.NOT_OWNER : Release.UNKNOWN);
                })
                .thenCompose(deleted -> deleted);
    }

    /** Withdraws a node that may have been made, or may yet be, in the background. */
    void reap(ZooKeeperSession session, String queue, String id, String owner) {
        runtime.reaper()
                .reap(
                        "The place of " + owner + " at " + queue,
                        LONGEST_REAPING,
                        () -> session.isLost()
                                // Its nodes are gone with it, or about to go.
                                ? CompletableFuture.completedFuture(Release.NOT_OWNER)
                                : withdraw(session, queue, id));
    }

    /** Deletes a node that was certainly made, in the background. */
    void leave(QueuePlace place) {
        place.session().calls().delete(place.path()).thenAccept(release -> {
            if (release == Release.UNKNOWN) {
                String what = "The place of " + place.request().owner() + " at " + place.queue();
                runtime.reaper()
                        .reap(
                                what,
                                LONGEST_REAPING,
                                () -> place.session().calls().delete(place.path()));
            }
        });
    }

    /** Ends all waiting. */
    void close() {
        closed = true;
        waiting.forEach(WaitingAcquisition::failClosed);
    }
}
