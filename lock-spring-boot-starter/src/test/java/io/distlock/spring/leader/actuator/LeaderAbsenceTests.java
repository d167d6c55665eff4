package io.distlock.spring.leader.actuator;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockUnavailableException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderElectionBuilder;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

/** What a reading says, and when it asks the store. Time stands still; a question is asked when the test lets it. */
class LeaderAbsenceTests {

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final InMemoryLockProvider store = new InMemoryLockProvider(runtime);
    private final LockClient client =
            LockClientBuilder.of(store, runtime).callbackExecutor(Runnable::run).build();
    private final LockClient other = LockClientBuilder.of(store, runtime).build();
    private final LeaderElection election =
            LeaderElectionBuilder.of(client, runtime, "report").build();
    private final Queue<Runnable> questions = new ArrayDeque<>();
    private final LeaderAbsence absence = new LeaderAbsence(election, questions::add, ticker);

    private double reading(Duration later) {
        ticker.advance(later);
        double seconds = absence.seconds();
        while (!questions.isEmpty()) {
            questions.remove().run();
        }
        return seconds;
    }

    private double reading() {
        return reading(Duration.ofSeconds(15));
    }

    @Test
    void growsWhileNobodyIsFound() {
        assertThat(reading()).isZero();
        assertThat(reading()).isEqualTo(15);
        assertThat(reading()).isEqualTo(30);
    }

    @Test
    void endsWithALeaderElsewhere() {
        reading();
        HeldLock leader = other.acquire(client.request(election.key()).withLeaseTime(Duration.ofHours(1)));
        reading();
        assertThat(reading()).isZero();
        leader.release();
        reading();
        assertThat(reading()).isEqualTo(15);
    }

    @Test
    void theLeaderAsksNobody() {
        reading();
        election.stand();
        assertThat(election.isLeader()).isTrue();

        assertThat(absence.seconds()).isZero();
        assertThat(questions).isEmpty();
    }

    @Test
    void aStoreThatDoesNotAnswerKnowsNoLeader() {
        LeaderElection silent = Mockito.mock(LeaderElection.class);
        Mockito.when(silent.leader())
                .thenThrow(new LockUnavailableException(election.key(), Duration.ZERO, "silent", null));
        LeaderAbsence unknown = new LeaderAbsence(silent, Runnable::run, ticker);

        assertThat(unknown.seconds()).isZero();
        ticker.advance(Duration.ofSeconds(15));
        assertThat(unknown.seconds()).isEqualTo(15);
    }

    @Test
    void asksOnceAtATime() {
        absence.seconds();
        absence.seconds();
        assertThat(questions).hasSize(1);
    }

    @Test
    void anOldAnswerIsNotBelieved() {
        reading();
        assertThat(reading(Duration.ofMinutes(3))).isZero();
        assertThat(reading()).isEqualTo(15);
    }

    @Test
    void beginsAnewAfterATermOfThisInstance() {
        reading();
        election.stand();
        assertThat(reading()).isZero();
        election.withdraw();

        assertThat(reading()).isZero();
        assertThat(reading()).isEqualTo(15);
    }

    @Test
    void aQuestionThatCouldNotBeAskedIsAskedByTheNextReading() {
        AtomicBoolean full = new AtomicBoolean(true);
        LeaderAbsence refused = new LeaderAbsence(
                election,
                task -> {
                    if (full.get()) {
                        throw new RejectedExecutionException("full");
                    }
                    questions.add(task);
                },
                ticker);
        refused.seconds();
        full.set(false);

        refused.seconds();

        assertThat(questions).hasSize(1);
    }
}
