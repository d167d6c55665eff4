package io.distlock.zookeeper;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockStatus;
import io.distlock.LockStatus.Holder;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Ticker;
import io.distlock.support.WarmUp;
import io.distlock.zookeeper.SessionCalls.Content;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Reads queues without joining them, and asks the servers how they are. Thread-safe. */
record ZooKeeperInspection(Ticker ticker, ZooKeeperSessions sessions, LockPaths paths) {

    private static final String SERVER = "server.";

    /** A holder, ours or another client's, and what its node says. */
    private record Found(SessionCalls calls, String path, QueueNode node, Content content) {

        boolean is(long token) {
            return node.keptFor().isEmpty() && content.stat().getCzxid() == token;
        }

        Holder describe() {
            boolean kept = node.keptFor().isPresent();
            return new Holder(
                    kept ? "kept" : content.text(),
                    kept
                            ? Optional.empty()
                            : Optional.of(new FencingToken(content.stat().getCzxid())),
                    Optional.empty());
        }
    }

    private record Queue(List<Found> holders, int size) {}

    /** As {@link io.distlock.spi.LockProvider#isCurrent}. */
    CompletableFuture<Boolean> isCurrent(Sequencer sequencer) {
        return look(sequencer.key())
                .thenApply(queue -> queue.holders().stream()
                        .anyMatch(each -> each.is(sequencer.token().value())
                                && each.node().mode() == sequencer.mode()));
    }

    CompletableFuture<Optional<LockStatus>> inspect(LockKey key) {
        return look(key).thenApply(queue -> {
            if (queue.holders().isEmpty()) {
                return Optional.empty();
            }
            LockMode mode = queue.holders().get(0).node().mode();
            List<Holder> holders = queue.holders().stream().map(Found::describe).toList();
            return Optional.of(new LockStatus(key, mode, holders, Optional.of(queue.size() - holders.size())));
        });
    }

    CompletableFuture<Release> forceRelease(LockKey key, FencingToken token) {
        return look(key)
                .thenCompose(queue -> queue.holders().stream()
                        .filter(each -> each.is(token.value()))
                        .map(each -> each.calls().delete(each.path()))
                        .findFirst()
                        .orElseGet(() -> CompletableFuture.completedFuture(Release.NOT_OWNER)));
    }

    /** As {@link io.distlock.spi.LockProvider#check}. */
    CompletableFuture<ProviderStatus> check(String servers) {
        long asked = ticker.nanos();
        return sessions.usual()
                .thenCompose(session -> session.calls()
                        .sync()
                        .thenApply(answered -> TimeUnit.NANOSECONDS.toMillis(ticker.nanos() - asked))
                        // The configuration may be hidden from this client.
                        .thenCombine(
                                session.calls().ensemble().handle((said, hidden) -> Optional.ofNullable(said)),
                                (millis, ensemble) -> up(servers, millis, ensemble)))
                .exceptionally(failure -> new ProviderStatus(
                        ProviderStatus.State.DOWN,
                        Map.of("servers", servers, "error", WarmUp.reason(ZooKeeperCallException.of(failure)))));
    }

    private ProviderStatus up(String servers, long roundTripMillis, Optional<String> configuration) {
        Map<String, Object> details = new HashMap<>();
        details.put("servers", servers);
        details.put("sessions", sessions.describe());
        details.put("roundTripMillis", roundTripMillis);
        configuration.ifPresent(lines -> {
            List<String> ensemble =
                    lines.lines().filter(line -> line.startsWith(SERVER)).toList();
            details.put("mode", ensemble.isEmpty() ? "standalone" : "ensemble of " + ensemble.size());
            details.put("ensemble", ensemble);
        });
        return new ProviderStatus(ProviderStatus.State.UP, details);
    }

    private CompletableFuture<Queue> look(LockKey key) {
        return sessions.usual().thenCompose(session -> {
            SessionCalls calls = session.calls();
            String path = paths.queue(key);
            // A follower may be behind: it answers after it has caught up.
            calls.sync();
            return orIfGone(calls.list(path), List.of())
                    .thenCompose(names -> read(calls, path, QueueNode.queue(names)));
        });
    }

    private static <T> CompletableFuture<T> orIfGone(CompletableFuture<T> asked, T gone) {
        return asked.exceptionallyCompose(
                failure -> ZooKeeperCallException.of(failure).isNoNode()
                        ? CompletableFuture.completedFuture(gone)
                        : CompletableFuture.failedFuture(failure));
    }

    private static CompletableFuture<Queue> read(SessionCalls calls, String path, List<QueueNode> queue) {
        CompletableFuture<List<Found>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (QueueNode each : QueueNode.holders(queue)) {
            String own = path + '/' + each.name();
            CompletableFuture<Optional<Found>> one = orIfGone(
                    calls.read(own).thenApply(content -> Optional.of(new Found(calls, own, each, content))),
                    Optional.empty());
            all = all.thenCombine(one, (found, next) -> {
                next.ifPresent(found::add);
                return found;
            });
        }
        return all.thenApply(found -> new Queue(found, queue.size()));
    }
}
