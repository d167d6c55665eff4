package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.redis.TestClient;
import io.distlock.redis.redlock.Quorum.Refusals;
import io.distlock.redis.redlock.Quorum.Vote;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockRuntime;
import io.distlock.support.TryLockStore.Result;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RedlockStoreTests {

    /** Or the caller would learn of contention, and not of the configuration that keeps it out. */
    @Test
    void aSplitVoteIsForgottenOnceTwoNodesAreKnownToBeOneServer() {
        try (LockRuntime runtime = LockRuntime.start()) {
            var runIds = new RedlockNodes.RunIds();
            Quorum quorum = new Quorum(3);
            var contention = new RedlockNodes.Contention(runtime.ticker());
            var nodes = new RedlockNodes(List.of(), quorum, runIds, contention, runtime, Duration.ofSeconds(1));
            LeaseRequest request = new LeaseRequest(
                    LockKey.of("job"),
                    LockMode.EXCLUSIVE,
                    "owner",
                    LockOptions.defaults(),
                    Deadline.in(Duration.ZERO, runtime.ticker()));
            RedlockStore store = new RedlockStore(nodes, request);
            store.nextTry(new Refusals(quorum, 1, 0, List.of(refusedBy(1), refusedBy(2))), "");
            runIds.seen("a", "run");
            runIds.seen("b", "run");
            Result answer = TestClient.get(store.attempt(request, false));
            assertThat(((Result.Failed) answer).cause()).hasMessageContaining("are the same server");
        }
    }

    private static Vote.Refused refusedBy(long holder) {
        return new Vote.Refused(holder, Optional.empty());
    }
}
