package io.distlock.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.leader.Instances.Instance;
import io.distlock.support.SimulatedRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What happens in the instant between two steps of a term, and what a term leaves behind. */
class TermTests {

    private final Instances instances = new Instances();
    private final Instance a = instances.start("a");

    /** The election saw a term, which ended before the call was counted. */
    @Test
    void whoEntersInTheInstantOfTheEndIsNotWaitedFor() {
        DefaultLeaderElection election = (DefaultLeaderElection) a.election;
        Term term = new Term(election, a.client.acquire(election.request()));
        term.begin();
        HeldLock work = term.enter().orElseThrow();
        term.revoke(Revocation.RESIGNED);

        assertThat(term.enter()).isEmpty();
        work.close();

        assertThat(term.givenBack()).isCompleted();
        assertThat(instances.atStore()).isEmpty();
    }

    /** A listener of the client hears of the loss before the term does. */
    @Test
    void whoAsksInTheInstantOfTheLossDoesNotChangeItsReason() {
        List<Boolean> leads = new ArrayList<>();
        a.client.addListener(event -> {
            if (event instanceof LockEvent.Lost) {
                leads.add(a.leads());
            }
        });
        a.stand();

        instances.store.forceRelease(a.election.key(), a.terms.get(0).token());
        instances.advanceUntil(() -> instances.news.size() > 1, Instances.LEASE);

        assertThat(leads).containsExactly(false);
        assertThat(instances.news).startsWith("a elected", "a LOST");
    }

    @Test
    void whoResignsAfterTheMarginHasBegunHasExpired() {
        Instance paused = instances.start("paused", new ManualTicker()).stand();
        instances.ticker.advance(Duration.ofMillis(Instances.TERM_MILLIS));

        assertThat(paused.election.resign()).isFalse();

        assertThat(instances.news).containsExactly("paused elected", "paused EXPIRED");
    }

    @Test
    void theMarginIsATenthOfTheLeaseOfTheRoleAndNotOfTheClient() {
        LeaderElection brief = LeaderElectionBuilder.of(a.client, a.runtime, "brief")
                .leaseTime(Duration.ofSeconds(10))
                .build();
        brief.stand();
        a.provider.onRenew(Fault.SILENCE);

        long term = instances.advanceUntil(() -> !brief.isLeader(), Duration.ofSeconds(10));

        assertThat(term).isEqualTo(10_000 - 100 - 2 - 1_000);
    }

    /** Each renewal puts the end off: who looked once would look too early, and never again. */
    @Test
    void aLateTermIsRevokedBeforeItsLockCanExpireAsAnEarlyOneIs() {
        Instance b = instances.start("b");
        a.stand();
        b.stand();
        instances.advance(Duration.ofMinutes(5));
        a.losesTheStore();

        instances.advanceUntil(() -> instances.news.contains("a EXPIRED"), Instances.LEASE);
        assertThat(b.leads()).isFalse();
        long margin = instances.advanceUntil(b::leads, Duration.ofMinutes(1));

        assertThat(margin).isBetween(3_000L, 3_500L);
    }

    /** By a listener that hears of the grant before the election does. */
    @Test
    void aWithdrawalInTheInstantOfTheGrantEndsWhenTheLockHasBeenGivenBack() {
        List<CompletionStage<Void>> over = new ArrayList<>();
        a.client.addListener(event -> {
            if (event instanceof LockEvent.Acquired) {
                over.add(a.election.withdraw());
            }
        });
        a.provider.onRelease(Fault.LATE);
        a.stand();
        assertThat(over).singleElement().satisfies(each -> assertThat(each).isNotDone());

        a.provider.deliver();

        assertThat(over.get(0)).isCompleted();
        assertThat(instances.atStore()).isEmpty();
        assertThat(instances.news).isEmpty();
    }

    @Test
    void aListenerMayWithdrawAsSoonAsItIsElected() {
        a.election.addListener(new LeaderListener() {

            @Override
            public void onElected(LeaderTerm term) {
                a.election.withdraw();
            }
        });
        a.stand();

        assertThat(instances.news).containsExactly("a elected", "a WITHDRAWN");
        assertThat(instances.atStore()).isEmpty();
        assertThat(a.election.isStanding()).isFalse();
    }

    @Test
    void aListenerMayRemoveItselfWhileItIsTold() {
        List<String> heard = new ArrayList<>();
        a.election.addListener(new LeaderListener() {

            @Override
            public void onElected(LeaderTerm term) {
                a.election.removeListener(this);
                heard.add("once");
            }
        });
        a.election.addListener(new LeaderListener() {

            @Override
            public void onElected(LeaderTerm term) {
                heard.add("next");
            }
        });
        a.stand();

        assertThat(heard).containsExactly("once", "next");
        assertThat(a.leads()).isTrue();
    }

    @Test
    void electionsOfOneBuilderHaveListenersOfTheirOwn() {
        LeaderElectionBuilder builder = LeaderElectionBuilder.of(a.client, a.runtime, "shared");
        List<String> heard = new ArrayList<>();
        LeaderElection first = builder.build();
        LeaderElection second = builder.build();
        first.addListener(new LeaderListener() {

            @Override
            public void onElected(LeaderTerm term) {
                heard.add("first");
            }
        });

        second.stand();

        assertThat(second.isLeader()).isTrue();
        assertThat(heard).isEmpty();
    }

    /** An instance may be elected thousands of times, and each term knows its lock. */
    @Test
    void aTermThatIsOverDoesNotWatchTheClocks() {
        a.stand();
        int during = SimulatedRuntime.clockWatchers(a.runtime);
        a.election.withdraw();
        assertThat(SimulatedRuntime.clockWatchers(a.runtime)).isEqualTo(during - 1);
    }
}
