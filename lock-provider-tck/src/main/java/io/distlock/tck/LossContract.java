package io.distlock.tck;

import static io.distlock.tck.ContractFixture.PATIENCE;
import static io.distlock.tck.ContractFixture.get;
import static io.distlock.tck.ContractFixture.uniqueKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.distlock.LockKey;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Lease;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Who is told of a loss before the next renewal. */
abstract class LossContract extends ContractPart {

    private final Queue<String> told = new ConcurrentLinkedQueue<>();

    LossContract(ContractFixture fixture) {
        super(fixture);
    }

    private Lease held(LockKey key, String owner) {
        Lease lease =
                get(provider().acquire(leaseRequest(key, owner))).orElseThrow().lease();
        provider().onLoss(lease, () -> told.add(owner));
        return lease;
    }

    @Test
    void aHolderThatIsRobbedIsTold() {
        assumeTrue(traits().tellsLosses(), "the provider does not tell losses by itself");
        LockKey key = uniqueKey();
        Lease lease = held(key, "robbed");
        assertThat(other().forceRelease(key, lease.token())).isEqualTo(Release.RELEASED);
        await().atMost(PATIENCE).until(() -> told.contains("robbed"));
    }

    @Test
    void nobodyIsToldOfTheLossOfAnother() {
        held(uniqueKey(), "neighbour");
        LockKey key = uniqueKey();
        Lease first = held(key, "first");
        other().forceRelease(key, first.token());
        if (traits().tellsLosses()) {
            await().atMost(PATIENCE).until(() -> told.contains("first"));
        }
        Lease second = held(key, "second");
        assertThat(other().isCurrent(new Sequencer(key, second.mode(), second.token())))
                .isTrue();
        assertThat(told).doesNotContain("neighbour", "second");
    }
}
