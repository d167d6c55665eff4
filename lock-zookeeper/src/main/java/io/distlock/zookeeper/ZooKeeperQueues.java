package io.distlock.zookeeper;

import io.distlock.Release;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockRuntime;
import io.distlock.support.WaitingAcquisition;
import io.distlock.zookeeper.SessionCalls.Enqueued;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

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

    /** The node with this id, if it was made. */
    CompletableFuture<Optional<Enqueued>> find(ZooKeeperSession session, String queue, String id) {
        return named(
                session,
                queue,
                id,
                (path, names) ->
                        session.calls().read(path).thenApply(content -> new Enqueued(path, content.stat(), names)));
    }

    /** Deletes the node with this id, if it was made. */
    private CompletableFuture<Release> withdraw(ZooKeeperSession session, String queue, String id) {
        return named(session, queue, id, (path, names) -> session.calls().delete(path))
                .handle((released, failure) -> {
                    if (failure == null) {
                        return released.orElse(Release.NOT_OWNER);
                    }
                    ZooKeeperCallException said = ZooKeeperCallException.of(failure);
                    return said.isNoNode() || said.isExpired() ? Release.NOT_OWNER : Release.UNKNOWN;
                });
    }

    private static <T> CompletableFuture<Optional<T>> named(
            ZooKeeperSession session,
            String queue,
            String id,
            BiFunction<String, List<String>, CompletableFuture<T>> then) {
        // Over a new connection, another server answers: after it has caught up with what came over the last one.
        session.calls().sync();
        return session.calls()
                .list(queue)
                .thenCompose(names -> names.stream()
                        .filter(name -> QueueNode.hasId(name, id))
                        .findFirst()
                        .map(name -> then.apply(queue + '/' + name, names).thenApply(Optional::of))
                        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty())));
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
