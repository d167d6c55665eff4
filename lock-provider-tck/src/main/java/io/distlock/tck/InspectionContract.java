package io.distlock.tck;

import static io.distlock.tck.ContractFixture.PATIENCE;
import static io.distlock.tck.ContractFixture.get;
import static io.distlock.tck.ContractFixture.patiently;
import static io.distlock.tck.ContractFixture.uniqueKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.ProviderStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a provider reports about a key and about its store. */
abstract class InspectionContract extends ContractPart {

    InspectionContract(ContractFixture fixture) {
        super(fixture);
    }

    @Test
    void inspectionTellsWhoHolds() {
        LockKey key = uniqueKey();
        assertThat(other().inspect(key)).isEmpty();
        try (HeldLock held = one().acquire(patiently(one(), key))) {
            assertThat(other().inspect(key)).hasValueSatisfying(status -> {
                assertThat(status.mode()).isEqualTo(LockMode.EXCLUSIVE);
                assertThat(status.holders()).singleElement().satisfies(holder -> {
                    assertThat(holder.token()).contains(held.fencingToken());
                    assertThat(holder.remaining().isPresent()).isEqualTo(traits().tellsRemaining());
                    assertThat(holder.remaining().stream()).allMatch(left -> left.compareTo(Duration.ZERO) > 0);
                });
            });
        }
        assertThat(other().inspect(key)).isEmpty();
    }

    @Test
    void inspectionTellsWhoseItIs() {
        LockKey key = uniqueKey();
        LockClient named = LockClientBuilder.of(provider(), runtime())
                .instance("orders@web-1.4711")
                .build();
        try (HeldLock held = named.acquire(patiently(named, key))) {
            assertThat(held.isHeld()).isTrue();
            assertThat(other().inspect(key).orElseThrow().holders())
                    .singleElement()
                    .satisfies(holder -> assertThat(holder.instance()).contains("orders@web-1.4711"));
        }
        named.close();
    }

    @Test
    void inspectionTellsOfAllReaders() {
        needsSharedMode();
        LockKey key = uniqueKey();
        try (HeldLock reader = one().acquire(patiently(one(), key).withMode(LockMode.SHARED));
                HeldLock second = other().acquire(patiently(other(), key).withMode(LockMode.SHARED))) {
            assertThat(reader.isHeld() && second.isHeld()).isTrue();
            assertThat(other().inspect(key)).hasValueSatisfying(status -> {
                assertThat(status.mode()).isEqualTo(LockMode.SHARED);
                assertThat(status.holders()).hasSize(2);
            });
        }
    }

    @Test
    void aStoreThatWorksIsUp() {
        // Or is again soon after: a connection, or an answer, may be late on a busy machine.
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(get(provider().check()).state())
                        .isEqualTo(traits().impaired() ? ProviderStatus.State.DEGRADED : ProviderStatus.State.UP));
    }

    @Test
    void aClosedProviderRefusesClearly() {
        LockClient client = newClient(provider());
        client.close();
        assertThatThrownBy(() -> client.acquire(patiently(client, uniqueKey()))).hasMessageContaining("closed");
    }
}
