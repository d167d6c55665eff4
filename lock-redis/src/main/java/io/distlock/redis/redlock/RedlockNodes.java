package io.distlock.redis.redlock;

import io.distlock.Release;
import io.distlock.spi.Moment;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.ProviderStatus.State;
import io.distlock.support.LockRuntime;
import io.distlock.support.WarmUp;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The servers of one Redlock, in an order that all clients share, and what is asked of all of them. Thread-safe. */
record RedlockNodes(List<RedlockNode> all, Quorum quorum, RunIds runIds, LockRuntime runtime, Duration callTimeout) {

    private static final String UP = "up";

    RedlockNodes {
        // All clients agree on the order, however theirs are configured.
        all = all.stream().sorted(Comparator.comparing(RedlockNode::name)).toList();
    }

    int size() {
        return all.size();
    }

    RedlockNode get(int at) {
        return all.get(at);
    }

    IntStream indexes() {
        return IntStream.range(0, size());
    }

    Duration elapsed(Moment since) {
        return Duration.ofNanos(since.elapsedNanos(runtime.ticker()));
    }

    /** Withdraws something from a node in the background until the node says it is gone, or it has expired. */
    void reap(
            String what, RedlockNode node, Duration timeToLive, Supplier<? extends CompletionStage<Release>> withdraw) {
        runtime.reaper()
                .reap(
                        what + " on " + node.name(),
                        timeToLive.plus(callTimeout),
                        () -> runtime.timeouts().within(callTimeout, withdraw.get()));
    }

    /** Whether a majority is connected, once that is settled. */
    CompletableFuture<Boolean> warmUp(Duration connectTimeout) {
        CompletableFuture<Boolean> majority = new CompletableFuture<>();
        AtomicInteger missing = new AtomicInteger(quorum.majority());
        var tried = all.stream()
                .map(node -> node.warmUp(connectTimeout).thenAccept(made -> {
                    if (made && missing.decrementAndGet() == 0) {
                        majority.complete(true);
                    }
                }))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(tried).thenRun(() -> majority.complete(false));
        return majority;
    }

    /** For health checks: the margin is how many more nodes may fail. Never fails. */
    CompletableFuture<ProviderStatus> check() {
        Map<String, Object> states = new ConcurrentSkipListMap<>();
        var asked = all.stream()
                .map(node -> runtime.timeouts()
                        .within(callTimeout, node.check())
                        .handle((quarantine, failure) ->
                                states.put(node.name(), failure == null ? describe(quarantine) : describe(failure))));
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply(done -> status(states));
    }

    private static String describe(Duration quarantine) {
        return quarantine.isZero()
                ? UP
                : "quarantined for another " + quarantine.plusMillis(999).toSeconds()
                        + " s (distributed-lock.redlock.restart-guard.quarantine)";
    }

    private static String describe(Throwable failure) {
        return "down: " + WarmUp.reason(failure);
    }

    private ProviderStatus status(Map<String, Object> states) {
        int majority = quorum.majority();
        int margin = Collections.frequency(states.values(), UP) - majority;
        Map<String, Object> details = new TreeMap<>(Map.of("nodes", states, "quorum", majority, "margin", margin));
        Optional<String> clash = runIds.clash();
        clash.ifPresent(why -> details.put("error", why));
        // Degraded: one more failure brings it down.
        State state = margin > 0 ? State.UP : margin == 0 ? State.DEGRADED : State.DOWN;
        return new ProviderStatus(clash.isPresent() ? State.DOWN : state, details);
    }
}
