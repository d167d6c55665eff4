package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.redis.TestClient;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockRuntime;
import io.distlock.support.TryLockStore.Result;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RedlockTriesTests {

    /** Or the caller would learn of contention, and not of the configuration that keeps it out. */
    @Test
    void twoNodesThatAreOneServerAreTheReasonWhyThereIsNoLock() {
        try (LockRuntime runtime = LockRuntime.start()) {
            var runIds = new RunIds();
            runIds.seen("a", "run");
            runIds.seen("b", "run");
            var nodes = new RedlockNodes(List.of(), new Quorum(3), runIds, runtime, Duration.ofSeconds(1));
            for (Duration wait : List.of(Duration.ZERO, Duration.ofMinutes(1))) {
                LeaseRequest request = new LeaseRequest(
                        LockKey.of("job"),
                        LockMode.EXCLUSIVE,
                        "owner",
                        LockOptions.defaults(),
                        Deadline.in(wait, runtime.ticker()));
                Result answer = TestClient.get(new RedlockTries(nodes, request).attempt(request, false));
                assertThat(((Result.Failed) answer).cause()).hasMessageContaining("are the same server");
                assertThat(((Result.Failed) answer).mayBeApplied()).isFalse();
            }
        }
    }
}
