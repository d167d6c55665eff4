package io.distlock.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.distlock.Release;
import io.distlock.support.CallsInTurn;
import io.distlock.support.Timeouts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one session. The driver sends them in their order, and answers in their order. Each future ends within twice the
 * call timeout, and fails with a {@link ZooKeeperCallException} or a {@link java.util.concurrent.TimeoutException}.
 *
 * <p>Some calls are under way at a time, the others wait for their turn. Those that leave a queue go first, and what confirms the
 * session does not wait: behind thousands, its answer would come too late to confirm anything. Thread-safe.
 */
final class SessionCalls implements Watcher {

    private static final int ANY_VERSION = -1;

    /** Of up to seven requests. A server reads on while fewer than 1,000 are open. */
    private static final int MOST_UNDER_WAY = 64;

    private final ZooKeeper client;
    private final Function<String, List<ACL>> acl;
    private final Timeouts timeouts;
    private final Duration callTimeout;
    private final CallsInTurn turns;

    /** By path. The driver knows only this object as a watcher, so a waiter that leaves is forgotten. */
    private final Map<String, Set<Runnable>> watched = new ConcurrentHashMap<>();

    /** What a node says. */
    record Content(String text, Stat stat) {}

    /** A node just made, and the names of all in its queue. */
    record Enqueued(String path, Stat stat, List<String> names) {}

    private static final class Reply<T> extends CompletableFuture<T> {

        private final String path;

        Reply(String path) {
            this.path = path;
        }

        void answered(int code, @Nullable T answer) {
            if (code != Code.OK.intValue() || answer == null) {
                completeExceptionally(ZooKeeperCallException.of(code, path));
            } else {
                complete(answer);
            }
        }
    }

    SessionCalls(ZooKeeper client, Function<String, List<ACL>> acl, Timeouts timeouts, Duration callTimeout) {
        this.client = client;
        this.acl = acl;
        this.timeouts = timeouts;
        this.callTimeout = callTimeout;
        this.turns = new CallsInTurn(
                timeouts, MOST_UNDER_WAY, callTimeout, () -> ZooKeeperCallException.unsent(MOST_UNDER_WAY));
    }

    private <T> CompletableFuture<T> ask(String path, Consumer<Reply<T>> request) {
        Reply<T> reply = new Reply<>(path);
        request.accept(reply);
        return timeouts.within(callTimeout, reply);
    }

    /** Passes through the leader, behind all that was sent before it. */
    CompletableFuture<Boolean> sync() {
        return ask("/", reply -> client.sync("/", (code, path, context) -> reply.answered(code, true), null));
    }

    /** As {@link #sync}, behind all that waits to leave a queue. */
    CompletableFuture<Boolean> flush() {
        return turns.first(this::sync);
    }

    /** What the servers say of their ensemble, which is nothing if one stands alone. */
    CompletableFuture<String> ensemble() {
        return this.<Content>ask("/", reply -> client.getConfig(false, content(reply), null))
                .thenApply(Content::text);
    }

    /**
     * Makes an ephemeral node with the next number, and lists its queue, in one round trip. In one turn, so that it is known of all
     * of it whether it was sent.
     *
     * @param ancestors nodes to make before, where there are none
     */
    CompletableFuture<Enqueued> enqueue(List<String> ancestors, String queue, String prefix, String data) {
        return turns.last(() -> {
            CompletableFuture<Void> above = makeContainers(ancestors);
            CompletableFuture<Enqueued> made = ask(
                    queue,
                    reply -> client.create(
                            queue + '/' + prefix,
                            data.getBytes(UTF_8),
                            acl.apply(queue),
                            CreateMode.EPHEMERAL_SEQUENTIAL,
                            (code, path, context, name, stat) ->
                                    reply.answered(code, stat == null ? null : new Enqueued(name, stat, List.of())),
                            null));
            return made.thenCombine(names(queue), (node, names) -> new Enqueued(node.path(), node.stat(), names))
                    .exceptionallyCompose(
                            failure -> ZooKeeperCallException.of(failure).isNoNode()
                                    // Why there is no queue to stand in says more than that there is none.
                                    ? above.thenCompose(exist -> CompletableFuture.failedFuture(failure))
                                    : CompletableFuture.failedFuture(failure));
        });
    }

    CompletableFuture<List<String>> list(String queue) {
        return turns.last(() -> names(queue));
    }

    private CompletableFuture<List<String>> names(String queue) {
        return ask(queue, reply -> {
            AsyncCallback.ChildrenCallback answer = (code, path, context, names) -> reply.answered(code, names);
            client.getChildren(queue, false, answer, null);
        });
    }

    /** Makes nodes that vanish by themselves once they have had children and are empty, where there are none. */
    private CompletableFuture<Void> makeContainers(List<String> paths) {
        return CompletableFuture.allOf(paths.stream()
                .map(path -> this.<Boolean>ask(path, reply -> {
                            AsyncCallback.StringCallback answer =
                                    (code, asked, context, name) -> reply.answered(code, true);
                            client.create(path, new byte[0], acl.apply(path), CreateMode.CONTAINER, answer, null);
                        })
                        .exceptionallyCompose(failure -> unlessThere(path, ZooKeeperCallException.of(failure))))
                .toArray(CompletableFuture<?>[]::new));
    }

    private static CompletableFuture<Boolean> unlessThere(String path, ZooKeeperCallException failure) {
        if (failure.isNodeExists()) {
            return CompletableFuture.completedFuture(true);
        }
        // Above the root is what a client with a chroot cannot make.
        return CompletableFuture.failedFuture(
                failure.isNoNode() && path.equals("/") ? ZooKeeperCallException.noChroot() : failure);
    }

    CompletableFuture<Content> read(String path) {
        return turns.last(() -> ask(path, reply -> client.getData(path, false, content(reply), null)));
    }

    /**
     * Calls the listener once, when the node changes or is deleted. Fails if it does not exist, and leaves no watch then, as
     * {@code exists} would.
     */
    CompletableFuture<Content> watch(String path, Runnable listener) {
        watched.compute(path, (same, listeners) -> {
            Set<Runnable> all = listeners == null ? ConcurrentHashMap.newKeySet() : listeners;
            all.add(listener);
            return all;
        });
        return turns.last(() -> ask(path, reply -> client.getData(path, this, content(reply), null)));
    }

    private static AsyncCallback.DataCallback content(Reply<Content> reply) {
        return (code, path, context, data, stat) -> {
            String text = data == null ? "" : new String(data, UTF_8);
            reply.answered(code, stat == null ? null : new Content(text, stat));
        };
    }

    void unwatch(String path, Runnable listener) {
        watched.computeIfPresent(path, (same, listeners) -> {
            listeners.remove(listener);
            return listeners.isEmpty() ? null : listeners;
        });
    }

    /** The driver's event thread. */
    @Override
    public void process(WatchedEvent event) {
        Set<Runnable> listeners = event.getPath() == null ? null : watched.remove(event.getPath());
        if (listeners != null) {
            listeners.forEach(Runnable::run);
        }
    }

    /** The session is gone, and with it all watches. */
    void wakeAll() {
        watched.values().forEach(listeners -> listeners.forEach(Runnable::run));
    }

    CompletableFuture<Release> delete(String path) {
        return released(path, reply -> {
            AsyncCallback.VoidCallback answer = (code, asked, context) -> reply.answered(code, true);
            client.delete(path, ANY_VERSION, answer, null);
        });
    }

    /** Deletes a node and makes one that lasts, in one step. */
    CompletableFuture<Release> replace(String path, String lasting) {
        List<Op> both = List.of(
                Op.delete(path, ANY_VERSION),
                Op.create(lasting, "kept".getBytes(UTF_8), acl.apply(lasting), CreateMode.PERSISTENT));
        return released(
                path, reply -> client.multi(both, (code, asked, context, results) -> reply.answered(code, true), null));
    }

    private CompletableFuture<Release> released(String path, Consumer<Reply<Boolean>> request) {
        return turns.first(() -> ask(path, request)).handle((done, failure) -> {
            if (failure == null) {
                return Release.RELEASED;
            }
            ZooKeeperCallException said = ZooKeeperCallException.of(failure);
            return said.isNoNode() || said.isExpired() ? Release.NOT_OWNER : Release.UNKNOWN;
        });
    }
}
