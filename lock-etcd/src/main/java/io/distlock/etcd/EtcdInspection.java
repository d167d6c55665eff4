package io.distlock.etcd;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockStatus;
import io.distlock.LockStatus.Holder;
import io.distlock.Sequencer;
import io.distlock.etcd.client.EtcdCalls;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.options.GetOption;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads queues without joining them. Thread-safe. */
record EtcdInspection(EtcdCalls calls, EtcdKeys keys) {

    /** As {@link io.distlock.spi.LockProvider#isCurrent}: a grant is current for as long as its key exists. */
    CompletableFuture<Boolean> isCurrent(Sequencer sequencer) {
        return holder(sequencer.key(), sequencer.token())
                .thenApply(place -> place.filter(held -> EtcdKeys.mode(held) == sequencer.mode())
                        .isPresent());
    }

    CompletableFuture<Optional<LockStatus>> inspect(LockKey key) {
        return places(all(key), key).thenCompose(places -> {
            if (places.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            List<KeyValue> holders = holders(places);
            return remaining(holders)
                    .thenApply(times -> Optional.of(new LockStatus(
                            key,
                            modeOf(holders.get(0)),
                            holders.stream().map(each -> describe(each, times)).toList(),
                            Optional.of(places.size() - holders.size()))));
        });
    }

    /** The holder's key, if it has this create revision; a waiter holds nothing. Reads nothing of those behind it. */
    CompletableFuture<Optional<ByteSequence>> holder(LockKey key, FencingToken token) {
        return places(all(key).withMaxCreateRevision(token.value()), key)
                .thenApply(places -> holders(places).stream()
                        .filter(each -> !isKept(each) && each.getCreateRevision() == token.value())
                        .map(KeyValue::getKey)
                        .findFirst());
    }

    private CompletableFuture<List<KeyValue>> places(GetOption.Builder which, LockKey key) {
        GetOption inOrder = which.withSortField(GetOption.SortTarget.CREATE)
                .withSortOrder(GetOption.SortOrder.ASCEND)
                .build();
        return calls.get(keys.first(key), inOrder).thenApply(GetResponse::getKvs);
    }

    private GetOption.Builder all(LockKey key) {
        return GetOption.builder().withRange(keys.end(key, LockMode.EXCLUSIVE));
    }

    private static LockMode modeOf(KeyValue place) {
        return EtcdKeys.mode(place.getKey());
    }

    private static boolean isKept(KeyValue place) {
        return place.getValue().equals(EtcdKeys.KEPT);
    }

    /** The first; if it is shared, all up to the first exclusive one. */
    private static List<KeyValue> holders(List<KeyValue> places) {
        List<KeyValue> shared = places.stream()
                .takeWhile(each -> modeOf(each) == LockMode.SHARED)
                .toList();
        return shared.isEmpty() ? places.stream().limit(1).toList() : shared;
    }

    private CompletableFuture<Map<Long, Duration>> remaining(List<KeyValue> places) {
        CompletableFuture<Map<Long, Duration>> times = CompletableFuture.completedFuture(new HashMap<>());
        for (long lease : places.stream().map(KeyValue::getLease).distinct().toList()) {
            times = times.thenCombine(calls.timeToLive(lease), (known, answer) -> {
                // Whole seconds, rounded down.
                known.put(lease, Duration.ofSeconds(Math.max(1, answer.getTTL())));
                return known;
            });
        }
        return times;
    }

    private static Holder describe(KeyValue place, Map<Long, Duration> remaining) {
        return new Holder(
                isKept(place) ? EtcdKeys.KEPT.toString(StandardCharsets.UTF_8) : EtcdKeys.owner(place.getKey()),
                isKept(place) ? Optional.empty() : Optional.of(new FencingToken(place.getCreateRevision())),
                Optional.ofNullable(remaining.get(place.getLease())));
    }
}
