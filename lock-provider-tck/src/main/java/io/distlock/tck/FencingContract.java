package io.distlock.tck;

import static io.distlock.tck.ContractFixture.assertRefused;
import static io.distlock.tck.ContractFixture.get;
import static io.distlock.tck.ContractFixture.now;
import static io.distlock.tck.ContractFixture.patiently;
import static io.distlock.tck.ContractFixture.uniqueKey;
import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Each grant has a larger token than those before it, and can be checked. */
abstract class FencingContract extends ContractPart {

    FencingContract(ContractFixture fixture) {
        super(fixture);
    }

    @Test
    void tokensGrowFromHolderToHolder() {
        LockKey key = uniqueKey();
        List<Long> tokens = new ArrayList<>();
        for (int round = 0; round < 10; round++) {
            LockClient client = round % 2 == 0 ? one() : other();
            LockMode mode = round % 3 == 0 && traits().sharedMode() ? LockMode.SHARED : LockMode.EXCLUSIVE;
            try (HeldLock held = client.acquire(patiently(client, key).withMode(mode))) {
                tokens.add(held.fencingToken().value());
            }
        }
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void theTokenAfterALostLockIsLarger() {
        LockKey key = uniqueKey();
        HeldLock lost = one().acquire(briefly(patiently(one(), key)).withRenew(false));
        try (HeldLock next = other().acquire(patiently(other(), key))) {
            assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
        }
    }

    @Test
    void theSameOwnerAskingAgainIsGrantedAgain() {
        LockKey key = uniqueKey();
        Grant first = get(provider().acquire(leaseRequest(key, "same-owner"))).orElseThrow();
        Grant again = get(provider().acquire(leaseRequest(key, "same-owner"))).orElseThrow();
        // Larger where another majority of several nodes has answered, and proposed more.
        assertThat(again.lease().token()).isGreaterThanOrEqualTo(first.lease().token());
        assertThat(get(provider().release(again.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
        assertFree(key);
    }

    @Test
    void aSequencerIsCurrentForAsLongAsItsGrantStands() {
        LockKey key = uniqueKey();
        HeldLock held = one().acquire(patiently(one(), key));
        Sequencer sequencer = Sequencer.parse(held.sequencers().get(0).text());
        assertThat(other().isCurrent(sequencer)).isTrue();
        assertThat(get(other().isCurrentAsync(sequencer))).isTrue();
        held.release();
        assertThat(other().isCurrent(sequencer)).isFalse();
        assertThat(get(other().isCurrentAsync(sequencer))).isFalse();
        try (HeldLock next = one().acquire(patiently(one(), key))) {
            assertThat(other().isCurrent(sequencer)).isFalse();
            assertThat(other().isCurrent(next.sequencers().get(0))).isTrue();
        }
    }

    @Test
    void aSequencerIsNotCurrentWhileItsLockIsOnlyKept() {
        for (LockMode mode : modes()) {
            LockKey key = uniqueKey();
            HeldLock held = one().acquire(patiently(one(), key).withMode(mode).withMinHoldTime(Duration.ofSeconds(20)));
            Sequencer sequencer = held.sequencers().get(0);
            assertThat(held.release()).isEqualTo(Release.RELEASED);
            assertRefused(other(), now(other(), key));
            assertThat(other().isCurrent(sequencer)).isFalse();
        }
    }

    @Test
    void aReadersSequencerIsCurrentUntilItIsReleasedWhateverOtherReadersDo() {
        needsSharedMode();
        LockKey key = uniqueKey();
        HeldLock first = one().acquire(patiently(one(), key).withMode(LockMode.SHARED));
        HeldLock second = other().acquire(patiently(other(), key).withMode(LockMode.SHARED));
        assertThat(other().isCurrent(first.sequencers().get(0))).isTrue();
        assertThat(one().isCurrent(second.sequencers().get(0))).isTrue();
        first.release();
        assertThat(other().isCurrent(first.sequencers().get(0))).isFalse();
        assertThat(one().isCurrent(second.sequencers().get(0))).isTrue();
        second.release();
        assertThat(one().isCurrent(second.sequencers().get(0))).isFalse();
    }

    @Test
    void aSequencerWithAnotherModeTokenOrKeyIsNotCurrent() {
        for (LockMode mode : modes()) {
            LockKey key = uniqueKey();
            try (HeldLock held = one().acquire(patiently(one(), key).withMode(mode))) {
                FencingToken token = held.fencingToken();
                for (LockMode another : LockMode.values()) {
                    assertThat(other().isCurrent(new Sequencer(key, another, token)))
                            .as("%s, presented as %s", mode, another)
                            .isEqualTo(another == mode);
                }
                LongStream.of(token.value() - 1, token.value() + 1)
                        .filter(near -> near > 0)
                        .mapToObj(near -> new Sequencer(key, mode, new FencingToken(near)))
                        .forEach(near -> assertThat(other().isCurrent(near))
                                .as("%s for %s", near, token)
                                .isFalse());
                assertThat(other().isCurrent(new Sequencer(uniqueKey(), mode, token)))
                        .as("%s, another key", mode)
                        .isFalse();
            }
        }
    }
}
