package io.distlock.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.leader.Instances.Instance;
import io.distlock.test.provider.Fault;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One instance leads, its terms begin and end in order, and another takes over. */
class LeaderElectionTests {

    private final Instances instances = new Instances();
    private final Instance a = instances.start("a");
    private final Instance b = instances.start("b");

    @Test
    void theFirstToStandLeads() {
        a.stand();
        b.stand();

        assertThat(a.leads()).isTrue();
        assertThat(b.leads()).isFalse();
        assertThat(a.election.term()).contains(a.terms.get(0));
        assertThat(b.election.term()).isEmpty();
        assertThat(b.election.isStanding()).isTrue();
    }

    @Test
    void oneThatDoesNotStandIsNotElected() {
        instances.advance(Duration.ofMinutes(1));

        assertThat(a.leads()).isFalse();
        assertThat(a.election.isStanding()).isFalse();
        assertThat(instances.atStore()).isEmpty();
    }

    @Test
    void aTermLastsLongerThanTheMaximumHoldTimeOfLocks() {
        a.stand();

        instances.advance(a.client.options().maxHoldTime().multipliedBy(100));

        assertThat(a.leads()).isTrue();
        assertThat(a.terms).hasSize(1);
    }

    @Test
    void leadsByTheClockNotByAFlag() {
        ManualTicker timers = new ManualTicker();
        Instance paused = instances.start("paused", timers).stand();

        instances.ticker.advance(Duration.ofMillis(Instances.TERM_MILLIS - 1));
        assertThat(paused.leads()).isTrue();
        instances.ticker.advance(Duration.ofMillis(1));

        assertThat(paused.leads()).isFalse();
        assertThat(instances.news).containsExactly("paused elected", "paused EXPIRED");
    }

    @Test
    void aConfirmationThatComesAfterTheMarginRevivesNoTerm() {
        a.stand();
        a.provider.onRenew(Fault.LATE);
        instances.advance(Duration.ofMillis(Instances.TERM_MILLIS + 1));

        a.provider.deliver();

        assertThat(a.leads()).isFalse();
        assertThat(instances.news).startsWith("a elected", "a EXPIRED");
    }

    @Test
    void isRevokedBeforeAnotherIsElectedWhenTheStoreIsSilent() {
        a.stand();
        b.stand();
        a.losesTheStore();

        long revoked = instances.advanceUntil(() -> instances.news.contains("a EXPIRED"), Instances.LEASE);
        assertThat(instances.atStore()).isPresent();
        long margin = instances.advanceUntil(b::leads, Duration.ofMinutes(1));

        assertThat(revoked).isEqualTo(Instances.TERM_MILLIS);
        assertThat(margin).isBetween(3_000L, 3_500L);
        assertThat(instances.news).containsExactly("a elected", "a EXPIRED", "b elected");
    }

    @Test
    void aSuspendedMachineIsNotBelieved() {
        a.stand();

        instances.ticker.stepWallClock(Duration.ofMillis(Instances.TERM_MILLIS + 1));

        assertThat(a.leads()).isFalse();
    }

    @Test
    void isRevokedAtOnceWhenTheLockIsTakenAway() {
        a.stand();
        b.stand();

        instances.store.forceRelease(a.election.key(), a.terms.get(0).token());
        instances.advanceUntil(() -> instances.news.contains("a LOST"), Instances.LEASE);

        assertThat(b.leads()).isTrue();
    }

    @Test
    void tokensGrowFromTermToTerm() {
        a.stand();
        b.stand();
        for (int term = 0; term < 10; term++) {
            (a.leads() ? a : b).election.resign();
            instances.advance(Duration.ofSeconds(5));
        }

        List<Long> tokens = IntStream.range(0, 5)
                .boxed()
                .flatMap(term -> List.of(a, b).stream().map(each -> each.terms.get(term)))
                .map(LeaderTerm::token)
                .map(FencingToken::value)
                .toList();
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void whoResignsStandsAgainAfterOthersHadTheirChance() {
        a.stand();
        b.stand();

        assertThat(a.election.resign()).isTrue();
        assertThat(b.leads()).isTrue();
        assertThat(a.election.isStanding()).isTrue();
        instances.advance(Duration.ofSeconds(10));
        assertThat(b.election.resign()).isTrue();

        assertThat(a.leads()).isTrue();
        assertThat(instances.news).containsExactly("a elected", "a RESIGNED", "b elected", "b RESIGNED", "a elected");
    }

    @Test
    void oneThatDoesNotLeadCannotResign() {
        a.stand();
        b.stand();

        assertThat(b.election.resign()).isFalse();
        assertThat(a.leads()).isTrue();
    }

    @Test
    void whoWithdrawsStandsNoLonger() {
        a.stand();

        assertThat(a.election.withdraw()).isCompleted();
        instances.advance(Duration.ofMinutes(5));

        assertThat(a.leads()).isFalse();
        assertThat(a.election.isStanding()).isFalse();
        assertThat(instances.news).containsExactly("a elected", "a WITHDRAWN");
        assertThat(instances.atStore()).isEmpty();
    }

    @Test
    void whoWithdrawsWhileWaitingLeavesNothingBehind() {
        a.stand();
        b.stand();

        assertThat(b.election.withdraw()).isCompleted();
        assertThat(instances.atStore().orElseThrow().waiters()).contains(0);
        a.election.withdraw();
        instances.advance(Duration.ofMinutes(1));

        assertThat(instances.news).containsExactly("a elected", "a WITHDRAWN");
        assertThat(b.client.waiting()).isEmpty();
    }

    @Test
    void standsAgainAfterItHasWithdrawn() {
        a.stand().election.withdraw();

        a.stand();

        assertThat(a.leads()).isTrue();
        assertThat(a.terms).hasSize(2);
    }

    @Test
    void standingTwiceIsStandingOnce() {
        a.stand().stand();
        instances.advance(Duration.ofMinutes(1));

        assertThat(a.provider.acquires()).isOne();
    }

    @Test
    void backsOffWhileTheStoreDoesNotAnswerAndThenLeads() {
        a.provider.onAcquire(Fault.ERROR);
        a.stand();
        instances.advance(Duration.ofHours(1));

        // A pause is 2.5 s on average, once it has grown.
        assertThat(a.provider.acquires()).isBetween(3_600 / 5, 2 * 3_600 / 2);
        a.provider.heal();
        instances.advance(Duration.ofSeconds(5));

        assertThat(a.leads()).isTrue();
    }

    @Test
    void aProviderThatThrowsEndsNoCandidacy() {
        a.provider.onAcquire(Fault.THROW);
        a.stand();
        a.provider.heal();
        instances.advance(Duration.ofSeconds(5));

        assertThat(a.leads()).isTrue();
    }

    @Test
    void aStoreThatRefusesAtOnceIsNotAskedWithoutAPause() {
        a.provider.onAcquire(Fault.REFUSED);
        a.stand();
        instances.advance(Duration.ofSeconds(10));

        assertThat(a.provider.acquires()).isBetween(10, 201);
    }

    @Test
    void saysWhoLeadsAndSinceWhen() {
        a.stand();
        b.stand();
        instances.advance(Duration.ofMinutes(2));
        Instant now = Instant.ofEpochMilli(instances.ticker.wallMillis());

        Leader own = a.election.leader().orElseThrow();
        Leader seen = b.election.leader().orElseThrow();
        instances.advance(Duration.ofMinutes(2));

        assertThat(own.instance()).contains("a");
        assertThat(own.token()).contains(a.terms.get(0).token());
        assertThat(own.since()).isEqualTo(Instant.EPOCH);
        assertThat(seen.instance()).contains("a");
        assertThat(seen.since()).isEqualTo(now);
        assertThat(b.election.leader().orElseThrow().since()).isEqualTo(now);
    }

    @Test
    void nobodyLeadsWhereNobodyStands() {
        assertThat(a.election.leader()).isEmpty();
    }

    @Test
    void closingGivesTheLockBackForGood() {
        a.stand();
        b.stand();

        a.election.close();

        assertThat(b.leads()).isTrue();
        assertThatIllegalStateException().isThrownBy(a.election::stand).withMessageContaining("is closed");
    }

    @Test
    void oneThatNeverStoodIsClosedAtOnce() {
        a.election.close();

        assertThat(instances.news).isEmpty();
    }

    @Test
    void aRoleIsPartOfAKey() {
        assertThatThrownBy(() -> LeaderElectionBuilder.of(a.client, a.runtime, " "))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(a.election.key()).isEqualTo(LockKey.of("leader", Instances.ROLE));
    }

    @Test
    void aHundredRolesAreRenewedAsAHundredLocksAre() {
        List<LeaderElection> roles = IntStream.range(0, 100)
                .mapToObj(role -> LeaderElectionBuilder.of(a.client, a.runtime, "role-" + role)
                        .build())
                .toList();
        roles.forEach(LeaderElection::stand);
        long timers = a.scheduler.scheduledEver();

        instances.advance(Duration.ofMinutes(10));

        assertThat(roles).allMatch(LeaderElection::isLeader);
        // Sixty renewals of a lease of 30 s, each of all roles in a few batches.
        assertThat(a.provider.renewalBatches().stream().mapToInt(size -> size).sum())
                .isBetween(5_900, 6_400);
        // One look for each role and lease, or two.
        assertThat(a.scheduler.scheduledEver() - timers).isLessThan(100 * 20 * 2 + 2L * a.provider.renewals() + 200);
    }
}
