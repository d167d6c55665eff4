package io.distlock.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockClient;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderElectionBuilder;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;

/** One candidate from start to stop. Time stands still, and callbacks run on the test's thread. */
class DistlockLeaderInitiatorLifeCycleTests {

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final LockClient client = LockClientBuilder.of(new InMemoryLockProvider(runtime), runtime)
            .callbackExecutor(this::execute)
            .build();
    private final LeaderElection election =
            LeaderElectionBuilder.of(client, runtime, "role").build();
    private final List<String> news = new ArrayList<>();
    private final Queue<Runnable> callbacks = new ArrayDeque<>();
    private final Clerk clerk = new Clerk();
    private final DistlockLeaderInitiator initiator = new DistlockLeaderInitiator(election, clerk);
    private boolean callbacksWait;

    private final class Clerk extends AbstractCandidate {

        Optional<InterruptedException> interruptedWhenGranted = Optional.empty();
        Optional<RuntimeException> failsWhenRevoked = Optional.empty();

        Clerk() {
            super("clerk", "role");
        }

        @Override
        public void onGranted(Context context) throws InterruptedException {
            news.add("granted");
            if (interruptedWhenGranted.isPresent()) {
                throw interruptedWhenGranted.get();
            }
        }

        @Override
        public void onRevoked(Context context) {
            news.add("revoked");
            failsWhenRevoked.ifPresent(failure -> {
                throw failure;
            });
        }
    }

    private void execute(Runnable callback) {
        if (callbacksWait) {
            callbacks.add(callback);
        } else {
            callback.run();
        }
    }

    private void runCallbacks() {
        callbacksWait = false;
        for (Runnable next = callbacks.poll(); next != null; next = callbacks.poll()) {
            next.run();
        }
    }

    private void publishEvents() {
        initiator.setApplicationEventPublisher(
                event -> news.add(event.getClass().getSimpleName()));
    }

    @Test
    void withoutAPublisherTheCandidateAloneLearnsOfItsLeadership() {
        initiator.start();
        initiator.stop();
        assertThat(news).containsExactly("granted", "revoked");
    }

    @Test
    void aSecondStartIsNone() {
        initiator.start();
        initiator.start();
        assertThat(news).containsExactly("granted");
        initiator.stop();
        assertThat(news).containsExactly("granted", "revoked");
    }

    /** Spring waits for the answer of each bean that it stops. */
    @Test
    void aStopIsAnsweredWhenTheCandidateHasBeenRevokedAndTheLockIsFree() {
        initiator.start();
        callbacksWait = true;
        initiator.stop(() -> news.add(client.inspect(election.key()).isEmpty() ? "stopped" : "held"));
        assertThat(news).containsExactly("granted");
        runCallbacks();
        assertThat(news).containsExactly("granted", "revoked", "stopped");
    }

    @Test
    void aStopOfWhatDoesNotRunIsAnsweredAtOnce() {
        initiator.stop(() -> news.add("not started"));
        initiator.start();
        initiator.stop();
        initiator.stop(() -> news.add("stopped before"));
        assertThat(news).containsExactly("not started", "granted", "revoked", "stopped before");
    }

    @Test
    void whoIsStartedAgainIsGrantedAgainAndOnce() {
        for (int times = 0; times < 2; times++) {
            initiator.start();
            initiator.stop();
        }
        assertThat(news).containsExactly("granted", "revoked", "granted", "revoked");
    }

    @Test
    void whoIsStartedAgainBeforeItsStopIsOverIsRevokedOnceAndGrantedOnce() {
        initiator.start();
        callbacksWait = true;
        initiator.stop();
        initiator.start();
        runCallbacks();
        assertThat(news).containsExactly("granted", "revoked", "granted");
    }

    @Test
    void whoIsNotStartedIsNotGrantedWhatTheApplicationStandsFor() {
        election.stand();
        assertThat(election.isLeader()).isTrue();
        election.withdraw();
        assertThat(news).isEmpty();
    }

    @Test
    void whoYieldsStandsAgain() {
        initiator.start();
        initiator.context().yield();
        assertThat(news).containsExactly("granted", "revoked");
        ticker.advance(Duration.ofSeconds(2));
        assertThat(news).containsExactly("granted", "revoked", "granted");
    }

    @Test
    void aCandidateThatIsInterruptedWhenItIsGrantedDoesNotLead() {
        publishEvents();
        clerk.interruptedWhenGranted = Optional.of(new InterruptedException());
        initiator.start();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(election.isLeader()).isFalse();
        assertThat(news).containsExactly("granted", "revoked", "OnRevokedEvent");
    }

    /** Or endpoints of the role would go on although another instance leads. */
    @Test
    void theEventOfARevocationIsPublishedAlsoIfTheCandidateFails() {
        publishEvents();
        clerk.failsWhenRevoked = Optional.of(new IllegalStateException("on purpose"));
        initiator.start();
        initiator.stop();
        assertThat(news).containsExactly("granted", "OnGrantedEvent", "revoked", "OnRevokedEvent");
    }
}
