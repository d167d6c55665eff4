package io.distlock.redis.redlock.vote;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockUnavailableException;
import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Several who do not wait ask for a free lock at the same moment: a split vote is not a refusal. */
class RedlockSplitVoteTests {

    private static final int CONTENDERS = 4;
    private static final int ROUNDS = 150;

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(3);

    private final List<RedlockTestClient> contenders = new ArrayList<>();
    private final AtomicBoolean unavailable = new AtomicBoolean();

    @BeforeEach
    void connect() {
        for (int number = 0; number < CONTENDERS; number++) {
            contenders.add(RedlockTestClient.of(nodes));
        }
    }

    @AfterEach
    void disconnect() {
        contenders.forEach(RedlockTestClient::close);
    }

    @Test
    void oneOfThoseWhoDoNotWaitGetsAFreeLock() throws Exception {
        CyclicBarrier start = new CyclicBarrier(CONTENDERS);
        List<Integer> winners = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            LockKey key = LockKey.of("round", Integer.toString(round));
            List<CompletableFuture<Optional<HeldLock>>> asked = contenders.stream()
                    .map(each -> CompletableFuture.supplyAsync(
                            () -> ask(each.locks, key, start), task -> new Thread(task, "contender").start()))
                    .toList();
            int won = 0;
            List<HeldLock> held = new ArrayList<>();
            for (var each : asked) {
                Optional<HeldLock> lock = each.get(RedlockTestClient.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                won += lock.isPresent() ? 1 : 0;
                lock.ifPresent(held::add);
            }
            held.forEach(HeldLock::release);
            // On a slow machine nodes may be too late for their votes, which is another answer.
            if (!unavailable.getAndSet(false)) {
                winners.add(won);
            }
        }
        assertThat(winners).containsOnly(1);
    }

    private Optional<HeldLock> ask(LockClient locks, LockKey key, CyclicBarrier start) {
        try {
            start.await(30, TimeUnit.SECONDS);
        } catch (Exception broken) {
            throw new IllegalStateException(broken);
        }
        try {
            return locks.tryAcquire(locks.request(key).withWaitTime(Duration.ZERO));
        } catch (LockUnavailableException late) {
            unavailable.set(true);
            return Optional.empty();
        }
    }
}
