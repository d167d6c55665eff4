package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockClient;
import io.distlock.LockException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** An application that closes in the midst of taking and giving back locks. */
@ExtendWith(RedisExtension.class)
class RedisShutdownTests {

    private static final int BUSY = 8;
    private static final int ROUNDS = 15;

    /** Or the application that is started next finds locks that nobody holds, until they expire. */
    @Test
    void whatWasUnderWayAtTheCloseLeavesNoKey(RedisServer redis) throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            // A call whose script the server does not know is sent again.
            redis.probe().scriptFlush();
            ExecutorService workers = Executors.newFixedThreadPool(BUSY);
            try (TestClient application = TestClient.of(redis.endpoint());
                    LockClient locks = LockClientBuilder.of(application.provider, application.runtime)
                            .build()) {
                CountDownLatch busy = new CountDownLatch(BUSY);
                for (int worker = 0; worker < BUSY; worker++) {
                    String item = "" + worker;
                    workers.execute(() -> workUntilClosed(locks, item, busy));
                }
                busy.await();
            }
            workers.shutdown();
            assertThat(workers.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            assertThat(redis.probe().keys()).allMatch(key -> key.startsWith("lock:fence:"));
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aCleanStopLogsNothing(RedisServer redis, CapturedOutput output) {
        try (TestClient application = TestClient.of(redis.endpoint())) {
            application.locks.acquire(application.locks.request("orders")).close();
        }
        assertThat(output.getAll()).doesNotContain("already closed");
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void locksThatEndWithTheirClientAreOneWarning(RedisServer redis, CapturedOutput output) {
        try (TestClient application = TestClient.of(redis.endpoint())) {
            LockClient locks = LockClientBuilder.of(application.provider, application.runtime)
                    .shutdownTimeout(Duration.ZERO)
                    .build();
            for (int item = 0; item < 12; item++) {
                locks.acquire(locks.request("abandoned", "" + item));
            }
            locks.close();
        }
        assertThat(output.getAll())
                .containsOnlyOnce("while locks were still held; these count as lost: [abandoned:")
                .contains("] and 7 more");
        assertThat(output.getAll()).doesNotContain("Lost lock 'abandoned:");
    }

    private static void workUntilClosed(LockClient locks, String item, CountDownLatch busy) {
        try {
            while (true) {
                locks.acquire(locks.request("orders", item)).close();
                busy.countDown();
            }
        } catch (LockException closed) {
            busy.countDown();
        }
    }
}
