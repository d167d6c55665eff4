package io.distlock.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.distlock.LockClient;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderElectionBuilder;
import io.distlock.support.LockRuntime;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;

/** Spring Integration's candidates on our elections. */
class DistlockLeaderInitiatorTests {

    private final LockRuntime runtime = LockRuntime.start();
    private final InMemoryLockProvider store = new InMemoryLockProvider(runtime);
    private final List<String> news = new CopyOnWriteArrayList<>();
    private final Instance one = new Instance("one");
    private final Instance two = new Instance("two");

    private final class Instance extends AbstractCandidate {

        final LockClient client = LockClientBuilder.of(store, runtime).build();
        final LeaderElection election =
                LeaderElectionBuilder.of(client, runtime, "role").build();
        final DistlockLeaderInitiator initiator;

        Instance(String id) {
            super(id, "role");
            initiator = new DistlockLeaderInitiator(election, this);
            initiator.setApplicationEventPublisher(
                    event -> news.add(id + " " + event.getClass().getSimpleName()));
        }

        @Override
        public void onGranted(Context context) {
            news.add(getId() + " granted " + context.isLeader());
        }

        @Override
        public void onRevoked(Context context) {
            news.add(getId() + " revoked " + context.isLeader());
        }

        void close() {
            initiator.stop();
            election.close();
            client.close();
        }
    }

    @AfterEach
    void close() {
        one.close();
        two.close();
        store.close();
        runtime.close();
    }

    @Test
    void aCandidateIsGrantedAndRevokedWithItsEvents() {
        one.initiator.start();
        await().until(() -> news.size() == 2);
        two.initiator.start();

        one.initiator.context().yield();
        await().until(() -> news.size() == 6);
        two.initiator.stop();
        await().until(() -> news.size() >= 8);

        assertThat(news.subList(0, 8))
                .containsExactly(
                        "one granted true",
                        "one OnGrantedEvent",
                        "one revoked false",
                        "one OnRevokedEvent",
                        "two granted true",
                        "two OnGrantedEvent",
                        "two revoked false",
                        "two OnRevokedEvent");
        assertThat(two.initiator.isRunning()).isFalse();
    }

    @Test
    void aCandidateForAnotherRoleIsRefused() {
        LeaderElection other =
                LeaderElectionBuilder.of(one.client, runtime, "other").build();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DistlockLeaderInitiator(other, one))
                .withMessageContaining("'role'");
    }
}
