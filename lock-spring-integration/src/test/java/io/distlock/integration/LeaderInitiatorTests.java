package io.distlock.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLockInfo;
import io.distlock.LockClient;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** Spring Integration's own election on the registry. The time of the locks is manual; it looks at them in real time. */
class LeaderInitiatorTests {

    private static final Duration LONGEST = Duration.ofSeconds(40);

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final InMemoryLockProvider store = new InMemoryLockProvider(runtime);
    private final LockClient client = client();
    private final LockClient elsewhere = client();
    private final Queue<String> history = new ConcurrentLinkedQueue<>();
    private final LockRegistryLeaderInitiator first = candidate("first", client);
    private final LockRegistryLeaderInitiator second = candidate("second", elsewhere);

    private LockClient client() {
        return LockClientBuilder.of(store, runtime)
                .options(LockOptions.defaults().withMaxHoldTime(LONGEST))
                .build();
    }

    private LockRegistryLeaderInitiator candidate(String id, LockClient client) {
        var candidate = new AbstractCandidate(id, "reports") {
            @Override
            public void onGranted(Context leadership) {
                history.add(id + " leads");
            }

            @Override
            public void onRevoked(Context leadership) {
                history.add(id + " is revoked");
            }
        };
        var initiator = new LockRegistryLeaderInitiator(new DistlockLockRegistry(client, "leaders"), candidate);
        initiator.setHeartBeatMillis(10);
        initiator.setBusyWaitMillis(10);
        return initiator;
    }

    @BeforeEach
    void elect() {
        first.start();
        await().until(() -> history.contains("first leads"));
    }

    @AfterEach
    void stop() throws Exception {
        first.destroy();
        second.destroy();
    }

    private HeldLockInfo held() {
        return client.held().findFirst().orElseThrow();
    }

    @Test
    void aLeaderLeadsAsLongAsItsProcessRenews() {
        HeldLockInfo elected = held();
        second.start();
        for (int times = 0; times < 10; times++) {
            await().until(() -> elsewhere.waiting().findAny().isPresent());
            ticker.advance(LONGEST);
            assertThat(client.held())
                    .singleElement()
                    .satisfies(held -> assertThat(held.token()).isEqualTo(elected.token()));
        }
        assertThat(history).containsExactly("first leads");
    }

    /** It must not take a lock anew while it believes that it still has it: it would unlock that at once, and go on leading. */
    @Test
    void aLeaderThatLostItsLockIsRevokedAndStandsAgain() {
        HeldLockInfo lost = held();
        client.forceRelease(lost.key(), lost.token());
        await().until(() -> history.size() == 3);
        assertThat(history).containsExactly("first leads", "first is revoked", "first leads");
        assertThat(held().token()).isGreaterThan(lost.token());
    }

    @Test
    void aLeaderThatStopsIsSucceeded() {
        second.start();
        await().until(() -> elsewhere.waiting().findAny().isPresent());
        first.stop();
        await().until(() -> {
            ticker.advance(Duration.ofMillis(1));
            return history.contains("second leads");
        });
        assertThat(history).containsExactlyInAnyOrder("first leads", "first is revoked", "second leads");
    }
}
