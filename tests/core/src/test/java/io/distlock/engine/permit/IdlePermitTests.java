package io.distlock.engine.permit;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockRequest;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random courses of calls in two processes, during which time stands still: no permit is idle while a call waits for one. */
@EndsInTime
class IdlePermitTests {

    private static final int PERMITS = 3;
    private static final int ROUNDS = 500;

    private final ManualEngine here = new ManualEngine();
    private final LockRequest patient =
            here.client.request(LockKey.of("imports")).withPermits(PERMITS).withWaitTime(Duration.ofHours(1));
    private final List<CompletableFuture<HeldLock>> calls = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void noPermitIsIdleWhileSomebodyWaits(long seed) {
        Random random = new Random(seed);
        int waits = 0;
        for (int round = 0; round < ROUNDS; round++) {
            if (calls.isEmpty() || random.nextInt(5) < 2) {
                LockClient client = random.nextBoolean() ? here.client : here.other;
                calls.add(client.acquireAsync(patient));
            } else {
                end(calls.remove(random.nextInt(calls.size())));
            }
            assertThat(holders()).as("round %s of seed %s", round, seed).isEqualTo(Math.min(PERMITS, calls.size()));
            waits += calls.size() > PERMITS ? 1 : 0;
        }
        assertThat(waits).as("rounds in which somebody waited").isPositive();
    }

    private static void end(CompletableFuture<HeldLock> call) {
        if (call.isDone()) {
            call.join().release();
        } else {
            call.cancel(true);
        }
    }

    private long holders() {
        return calls.stream().filter(CompletableFuture::isDone).count();
    }
}
