package io.distlock.tck;

import static io.distlock.tck.ContractFixture.PATIENCE;
import static io.distlock.tck.ContractFixture.assertNothingAt;
import static io.distlock.tck.ContractFixture.assertRefused;
import static io.distlock.tck.ContractFixture.get;
import static io.distlock.tck.ContractFixture.now;
import static io.distlock.tck.ContractFixture.uniqueKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LockProvider;
import io.distlock.spi.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What holds over several connections, and for requests that arrive twice, late, or before their connection is closed. */
abstract class RepetitionContract extends ContractPart {

    private static final Duration KEPT = Duration.ofMinutes(1);

    RepetitionContract(ContractFixture fixture) {
        super(fixture);
    }

    /** A store that hands out numbers by connection, several at a time, gives a later holder a smaller one. */
    @Test
    void tokensGrowWhicheverConnectionTheyComeOver() {
        LockKey key = uniqueKey();
        List<LockProvider> providers =
                Stream.generate(this::newSeparateProvider).limit(4).toList();
        List<Long> tokens = new ArrayList<>();
        // Each of them comes after each other one, and after itself.
        for (int which : new int[] {0, 1, 2, 3, 3, 2, 1, 0, 0, 2, 0, 3, 1, 3, 1}) {
            Lease lease = get(providers.get(which).acquire(leaseRequest(key, "owner-" + tokens.size())))
                    .orElseThrow()
                    .lease();
            tokens.add(lease.token().value());
            get(providers.get(which).release(lease, Duration.ZERO));
        }
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aProviderThatIsClosedLeavesItsLocks() {
        LockKey key = uniqueKey();
        LockProvider doomed = newSeparateProvider();
        Lease lease =
                get(doomed.acquire(leaseRequest(key, "owner-1"))).orElseThrow().lease();
        doomed.close();
        assertThat(other().inspect(key))
                .hasValueSatisfying(status -> assertThat(status.holders())
                        .singleElement()
                        .satisfies(holder -> assertThat(holder.token()).contains(lease.token())));
    }

    /** It may be applied after that, for nobody. */
    @Test
    void anAcquisitionThatIsCancelledAtOnceLeavesNothing() {
        LockKey key = uniqueKey();
        for (int round = 0; round < 10; round++) {
            CompletableFuture<Optional<Grant>> cancelled = provider().acquire(leaseRequest(key, "cancelled-" + round));
            if (!cancelled.cancel(true)) {
                get(cancelled).ifPresent(grant -> get(provider().release(grant.lease(), Duration.ZERO)));
            }
        }
        // While votes are withdrawn, a store that counts them may not know.
        await().atMost(PATIENCE)
                .ignoreException(LockUnavailableException.class)
                .untilAsserted(() -> assertThat(other().inspect(key)).isEmpty());
        assertFree(key);
        assertNothingAt(other(), key);
    }

    @Test
    void aReleaseThatArrivesTwiceDoesNotFreeWhatTheFirstKept() {
        LockKey key = uniqueKey();
        Lease lease = get(provider().acquire(leaseRequest(key, "owner-1")))
                .orElseThrow()
                .lease();
        assertThat(get(provider().release(lease, KEPT))).isEqualTo(Release.RELEASED);
        get(provider().release(lease, KEPT));
        assertRefused(other(), now(other(), key));
    }

    @Test
    void aRenewalThatArrivesAfterTheReleaseDoesNotBringTheLockBack() {
        LockKey key = uniqueKey();
        Lease lease = get(provider().acquire(leaseRequest(key, "owner-1")))
                .orElseThrow()
                .lease();
        get(provider().release(lease, KEPT));
        CompletableFuture<Renewal> answer = new CompletableFuture<>();
        provider().renew(List.of(lease), (same, renewal) -> answer.complete(renewal));
        assertThat(get(answer)).isEqualTo(Renewal.NOT_OWNER);
        assertRefused(other(), now(other(), key));
    }
}
