package io.distlock.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.HeldLock;
import io.distlock.LockLostException;
import io.distlock.Release;
import io.distlock.leader.Instances.Instance;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Listeners and work in a term: what the end of the term waits for. */
class EndOfTermTests {

    private final Instances instances = new Instances();
    private final Instance a = instances.start("a");
    private final Instance b = instances.start("b");

    @Test
    void theLockIsKeptUntilListenersHaveReturned() {
        a.stand();
        b.stand();
        a.holdCallbacks();

        a.election.resign();
        assertThat(a.leads()).isFalse();
        instances.advance(Duration.ofSeconds(9));
        assertThat(b.leads()).isFalse();
        a.runCallbacks();

        assertThat(b.leads()).isTrue();
        assertThat(instances.news).containsExactly("a elected", "a RESIGNED", "b elected");
    }

    @Test
    void aListenerThatHangsKeepsOthersOutForTheRevokeTimeout() {
        a.stand();
        b.stand();
        a.holdCallbacks();
        a.election.resign();

        long waited = instances.advanceUntil(b::leads, Duration.ofMinutes(1));

        assertThat(waited).isEqualTo(10_000);
    }

    @Test
    void standsAgainOnlyWhenListenersHaveReturned() {
        a.stand();
        a.holdCallbacks();
        a.election.resign();
        instances.advance(Duration.ofMinutes(1));
        assertThat(a.provider.acquires()).isOne();

        a.runCallbacks();
        instances.advance(Duration.ofSeconds(3));

        assertThat(instances.news).containsExactly("a elected", "a RESIGNED", "a elected");
    }

    @Test
    void aNewCandidacyWaitsForTheListenersOfTheOneBefore() {
        a.stand();
        a.holdCallbacks();
        var over = a.election.withdraw();
        a.stand();
        instances.advance(Duration.ofSeconds(5));
        assertThat(a.provider.acquires()).isOne();
        assertThat(over).isNotDone();

        a.runCallbacks();

        assertThat(over).isCompleted();
        assertThat(instances.news).containsExactly("a elected", "a WITHDRAWN", "a elected");
    }

    @Test
    void theEndOfATermThatWasNeverAnnouncedIsAnnouncedAfterItsBeginning() {
        a.holdCallbacks();
        a.stand();
        a.runCallbacks();
        instances.news.clear();
        a.election.resign();
        a.holdCallbacks();
        instances.advance(Duration.ofSeconds(5));
        a.runCallbacks();

        assertThat(instances.news).containsExactly("a RESIGNED", "a elected");
    }

    @Test
    void anotherLeadsIfAListenerFailsOnTheElection() {
        a.failsOnElection = Optional.of(new IllegalStateException("cannot start"));
        a.stand();
        b.stand();

        instances.advance(Duration.ofSeconds(10));

        assertThat(b.leads()).isTrue();
        assertThat(instances.news).startsWith("a elected", "a FAILED").endsWith("b elected");
    }

    @Test
    void aListenerThatAlwaysFailsIsNotElectedWithoutAPause() {
        a.failsOnElection = Optional.of(new IllegalStateException("cannot start"));
        a.stand();

        instances.advance(Duration.ofMinutes(10));

        assertThat(a.terms).hasSizeBetween(100, 300);
    }

    @Test
    void theFailureOfOneListenerIsNotThatOfAnother() {
        a.election.addListener(new LeaderListener() {

            @Override
            public void onRevoked(LeaderTerm term, Revocation reason) {
                throw new IllegalStateException("cannot stop");
            }
        });
        List<String> others = new ArrayList<>();
        a.election.addListener(new LeaderListener() {

            @Override
            public void onRevoked(LeaderTerm term, Revocation reason) {
                others.add(reason.toString());
            }
        });
        a.stand();

        a.election.resign();

        assertThat(others).containsExactly("RESIGNED");
        assertThat(instances.atStore()).isEmpty();
    }

    // --- work ---

    @Test
    void workHasTheLockOfTheTerm() {
        a.stand();

        HeldLock work = a.election.enter().orElseThrow();

        assertThat(work.isHeld()).isTrue();
        assertThat(work.fencingToken()).isEqualTo(a.terms.get(0).token());
        assertThat(work.release()).isEqualTo(Release.RELEASED);
        assertThat(work.release()).isEqualTo(Release.RELEASED);
        assertThat(work.isHeld()).isFalse();
        assertThatIllegalStateException().isThrownBy(work::ensureHeld);
        assertThat(a.leads()).isTrue();
        work.close();
    }

    @Test
    void nobodyElseEntersTheTerm() {
        a.stand();
        b.stand();

        assertThat(b.election.enter()).isEmpty();
        a.election.resign();
        assertThat(a.election.enter()).isEmpty();
    }

    @Test
    void workIsFinishedUnderTheLockWhenTheLeaderResigns() {
        a.stand();
        b.stand();
        HeldLock work = a.election.enter().orElseThrow();
        HeldLock more = a.election.enter().orElseThrow();

        a.election.resign();
        assertThat(a.election.enter()).isEmpty();
        instances.advance(Duration.ofSeconds(5));
        assertThat(work.isHeld()).isTrue();
        work.ensureHeld();
        work.close();
        assertThat(b.leads()).isFalse();
        more.close();

        assertThat(b.leads()).isTrue();
    }

    @Test
    void workThatDoesNotEndKeepsOthersOutForTheRevokeTimeout() {
        a.stand();
        b.stand();
        HeldLock work = a.election.enter().orElseThrow();
        a.election.withdraw();

        long waited = instances.advanceUntil(b::leads, Duration.ofMinutes(1));

        assertThat(waited).isEqualTo(10_000);
        assertThat(work.isHeld()).isFalse();
    }

    @Test
    void workThatNeverEndsDoesNotKeepItsInstanceFromStandingAgain() {
        a.stand();
        assertThat(a.election.enter()).isPresent();
        a.election.resign();

        instances.advance(Duration.ofSeconds(13));

        assertThat(a.leads()).isTrue();
        assertThat(a.terms).hasSize(2);
    }

    @Test
    void workLearnsThatTheLockIsLost() {
        a.stand();
        HeldLock work = a.election.enter().orElseThrow();
        List<String> news = new ArrayList<>();
        work.onLost(loss -> news.add("action " + loss.reason()));
        work.lost().thenAccept(loss -> news.add("stage " + loss.reason()));
        assertThat(work.lost() == work.lost()).as("one stage").isTrue();
        a.losesTheStore();

        instances.advance(Instances.LEASE);

        assertThat(news).containsExactlyInAnyOrder("action EXPIRED", "stage EXPIRED");
        assertThatThrownBy(work::ensureHeld).isInstanceOf(LockLostException.class);
        assertThat(work.release()).isEqualTo(Release.NOT_OWNER);
        assertThatThrownBy(work::close).isInstanceOf(LockLostException.class);
    }

    @Test
    void workMayUseTheMarginToFinish() {
        a.stand();
        HeldLock work = a.election.enter().orElseThrow();
        a.provider.onRenew(Fault.SILENCE);

        instances.advance(Duration.ofMillis(Instances.TERM_MILLIS + 1));

        assertThat(a.leads()).isFalse();
        work.ensureHeld();
        assertThat(work.remaining()).isBetween(Duration.ofMillis(2_900), Duration.ofSeconds(3));
    }
}
