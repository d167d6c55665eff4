package io.distlock.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.chaos.check.Violation.Promise;
import io.distlock.chaos.history.Entry;
import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.History;
import io.distlock.chaos.history.Use;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories by hand, in milliseconds: each broken promise is found, and what only looks like one is not. */
class VerdictTests {

    private static final String FIRST = "a-0-0";
    private static final String SECOND = "b-0-0";

    private final List<Entry> entries = new ArrayList<>();

    private void at(long millis, Kind kind, String subject, Object... words) {
        entries.add(Entry.of(millis * 1_000_000, kind, subject, words));
    }

    private void asked(long millis, String attempt, String mode) {
        at(millis, Kind.ASKED, attempt, "k", mode, 100, 1_000, true, 1);
    }

    private void hold(String attempt, String mode, long granted, long held, long token) {
        asked(granted - 1, attempt, mode);
        at(granted, Kind.GRANTED, attempt, token, "k");
        at(held, Kind.HELD, attempt);
    }

    private void permit(String attempt, int permit, long granted, long held) {
        at(granted - 1, Kind.ASKED, attempt, "chaos:permits", "EXCLUSIVE", 100, 1_000, true, 2);
        at(granted, Kind.GRANTED, attempt, granted, "chaos:permits#" + permit);
        at(held, Kind.HELD, attempt);
    }

    private void term(String attempt, long stood, long granted, long held) {
        at(stood, Kind.ASKED, attempt, "leader:chaos-0", "EXCLUSIVE", 1_000_000, 100, true, 1);
        at(granted, Kind.GRANTED, attempt, granted, "leader:chaos-0");
        at(held, Kind.HELD, attempt);
    }

    private Verdict verdict() {
        return Verdict.of(History.of(entries), Duration.ofMillis(100), Duration.ofSeconds(5));
    }

    private List<Promise> broken() {
        return verdict().violations().stream().map(Violation::promise).toList();
    }

    @Test
    void holdersOneAfterTheOtherKeepEveryPromise() {
        hold(FIRST, "EXCLUSIVE", 10, 50, 1);
        at(51, Kind.RELEASING, FIRST);
        hold(SECOND, "EXCLUSIVE", 60, 90, 2);
        at(91, Kind.RELEASING, SECOND);
        assertThat(broken()).isEmpty();
        assertThat(verdict().control().isProof()).isFalse();
    }

    @Test
    void twoHoldersAtOnceAreFound() {
        hold(FIRST, "EXCLUSIVE", 10, 70, 1);
        hold(SECOND, "EXCLUSIVE", 60, 90, 2);
        assertThat(broken()).containsExactly(Promise.EXCLUSION);
        assertThat(verdict().violations().get(0).attempts()).containsExactly(FIRST, SECOND);
        assertThat(verdict().violations().get(0).what()).contains("10.0 ms");
    }

    @Test
    void aHolderBeneathALongerOneIsFound() {
        hold(FIRST, "EXCLUSIVE", 10, 200, 1);
        hold(SECOND, "EXCLUSIVE", 60, 90, 2);
        hold("c-0-0", "EXCLUSIVE", 100, 120, 3);
        assertThat(broken()).containsExactly(Promise.EXCLUSION, Promise.EXCLUSION);
    }

    @Test
    void readersMayHoldAtOnceButNotBesideAWriter() {
        hold(FIRST, "SHARED", 10, 70, 1);
        hold(SECOND, "SHARED", 60, 90, 2);
        assertThat(broken()).isEmpty();
        hold("c-0-0", "EXCLUSIVE", 80, 95, 3);
        assertThat(broken()).containsExactly(Promise.EXCLUSION);
    }

    @Test
    void aLockThatSaysThatItIsLostIsNotHeld() {
        hold(FIRST, "EXCLUSIVE", 10, 50, 1);
        at(70, Kind.NOT_HELD, FIRST);
        at(55, Kind.LOST, FIRST, "EXPIRED");
        hold(SECOND, "EXCLUSIVE", 60, 90, 2);
        assertThat(broken()).isEmpty();
        assertThat(verdict().control().overlaps()).containsEntry(Use.LOCK, 1);
    }

    @Test
    void aSmallerTokenOfALaterGrantIsFound() {
        hold(FIRST, "EXCLUSIVE", 10, 50, 2);
        hold(SECOND, "EXCLUSIVE", 60, 90, 1);
        assertThat(broken()).containsExactly(Promise.TOKENS);
    }

    @Test
    void aTokenGivenTwiceIsFound() {
        hold(FIRST, "EXCLUSIVE", 10, 50, 2);
        hold(SECOND, "EXCLUSIVE", 60, 90, 2);
        assertThat(broken()).containsExactly(Promise.TOKENS);
    }

    @Test
    void aStaleWriteThatTheFenceLetInIsFoundAndARefusedOneIsTheControls() {
        hold(FIRST, "EXCLUSIVE", 10, 50, 1);
        hold(SECOND, "EXCLUSIVE", 60, 90, 2);
        at(70, Kind.WROTE, SECOND, "k", 2, true);
        at(80, Kind.WROTE, FIRST, "k", 1, false);
        assertThat(broken()).isEmpty();
        assertThat(verdict().control().staleWrites()).containsEntry(Use.LOCK, 1);
        at(81, Kind.WROTE, FIRST, "k", 1, true);
        assertThat(broken()).containsExactly(Promise.FENCE);
    }

    @Test
    void aHolderThatIsNotToldOfItsLossIsFoundUnlessItsProcessStoodStill() {
        hold(FIRST, "EXCLUSIVE", 10, 50, 1);
        hold(SECOND, "EXCLUSIVE", 60, 90, 2);
        at(2_000, Kind.NOT_HELD, FIRST);
        assertThat(broken()).containsExactly(Promise.LOSS);
        at(2_000, Kind.STALLED, "a", 1_950_000_000L);
        assertThat(broken()).isEmpty();
    }

    @Test
    void aGrantThatIsOverWhenItIsReturnedTakesTheLockFromNobody() {
        hold(FIRST, "EXCLUSIVE", 10, 2_500, 2);
        asked(1, SECOND, "EXCLUSIVE");
        at(60, Kind.GRANTED, SECOND, 1, "k");
        at(60, Kind.NOT_HELD, SECOND);
        assertThat(broken()).isEmpty();
    }

    @Test
    void aCallThatTakesTooLongIsFoundUnlessItsProcessHasJustStarted() {
        asked(10, FIRST, "EXCLUSIVE");
        at(1_900, Kind.REFUSED, FIRST, "LockNotAcquiredException");
        assertThat(broken()).containsExactly(Promise.DEADLINE);
        at(5, Kind.STARTED, "a");
        assertThat(broken()).isEmpty();
    }

    @Test
    void aCallThatNeverEndsIsFoundUnlessItsClientDied() {
        asked(10, FIRST, "EXCLUSIVE");
        assertThat(broken()).isEmpty();
        at(99, Kind.ENDED, "a", 0, 0);
        assertThat(broken()).containsExactly(Promise.DEADLINE);
    }

    @Test
    void aLockThatAClientLeavesIsFound() {
        at(99, Kind.ENDED, "a", 1, 0);
        assertThat(broken()).containsExactly(Promise.LEFTOVERS);
    }

    @Test
    void oneHolderMoreThanPermitsIsFoundWhicheverPermitItHas() {
        permit(FIRST, 1, 10, 70);
        permit(SECOND, 2, 20, 70);
        assertThat(broken()).isEmpty();
        permit("c-0-0", 3, 60, 90);
        assertThat(broken()).containsExactly(Promise.BOUND);
    }

    @Test
    void twoHoldersOfOnePermitAreFound() {
        permit(FIRST, 1, 10, 70);
        permit(SECOND, 1, 60, 90);
        assertThat(broken()).containsExactly(Promise.EXCLUSION);
    }

    @Test
    void twoLeadersAtOnceAreFoundAndATermWithASmallerToken() {
        term(FIRST, 1, 10, 70);
        term(SECOND, 2, 60, 90);
        assertThat(broken()).containsExactly(Promise.EXCLUSION);
        entries.clear();
        term(FIRST, 1, 10, 50);
        at(59, Kind.ASKED, SECOND, "leader:chaos-0", "EXCLUSIVE", 1_000_000, 100, true, 1);
        at(60, Kind.GRANTED, SECOND, 9, "leader:chaos-0");
        at(90, Kind.HELD, SECOND);
        assertThat(broken()).containsExactly(Promise.TOKENS);
    }

    @Test
    void aLeaderThatWasDeposedMayLeadOnForTheRestOfItsLeaseAndNoLonger() {
        term(FIRST, 1, 10, 70);
        term(SECOND, 2, 60, 300);
        at(55, Kind.FORCED, "leader:chaos-0", 10);
        assertThat(broken()).isEmpty();
        assertThat(verdict().forced()).hasSize(1);
        at(156, Kind.HELD, FIRST);
        assertThat(broken()).containsExactly(Promise.EXCLUSION);
    }

    /** The next one may learn of its grant first. */
    @Test
    void aLeaderThatLearnsOfItsTermOnlyAfterItWasDeposedIsExcusedToo() {
        term(SECOND, 2, 59, 200);
        at(1, Kind.ASKED, FIRST, "leader:chaos-0", "EXCLUSIVE", 1_000_000, 100, true, 1);
        at(55, Kind.FORCED, "leader:chaos-0", 10);
        at(60, Kind.GRANTED, FIRST, 10, "leader:chaos-0");
        at(70, Kind.HELD, FIRST);
        assertThat(broken()).isEmpty();
        assertThat(verdict().forced()).hasSize(1);
        at(156, Kind.HELD, FIRST);
        assertThat(broken()).containsExactly(Promise.EXCLUSION);
    }

    @Test
    void aReleaseByForceExcusesNoOverlapThatBeganBefore() {
        term(FIRST, 1, 10, 70);
        term(SECOND, 2, 60, 90);
        at(65, Kind.FORCED, "leader:chaos-0", 10);
        assertThat(broken()).containsExactly(Promise.EXCLUSION);
    }

    @Test
    void theTimeWithoutALeaderIsCountedByWhyTheTermBeforeEnded() {
        term(FIRST, 1, 10, 50);
        at(51, Kind.LOST, FIRST, "RESIGNED");
        term(SECOND, 2, 60, 90);
        term("c-0-0", 3, 290, 300);
        at(380, Kind.LOST, "c-0-0", "EXPIRED");
        term("d-0-0", 3, 310, 320);
        TakeOvers takeOvers = TakeOvers.of(History.of(entries));
        assertThat(takeOvers.count()).isEqualTo(3);
        assertThat(takeOvers.afterResignation()).isEqualTo(10);
        assertThat(takeOvers.millis()).containsEntry("died", List.of(200L)).containsEntry("expired", List.of(10L));
        assertThat(takeOvers.late()).isOne();
    }

    @Test
    void whatComesOfFaultsBeyondThePromiseIsCountedApart() {
        at(55, Kind.BEYOND, "campaign");
        hold(FIRST, "EXCLUSIVE", 10, 70, 1);
        hold(SECOND, "EXCLUSIVE", 60, 90, 2);
        assertThat(broken()).isEmpty();
        assertThat(verdict().beyond()).hasSize(1);
    }

    @Test
    void anExcerptHasBothHoldersTheFaultsAndOnlyTheEndsOfRepeatedSamples() {
        at(5, Kind.FAULT, "server-frozen");
        hold(FIRST, "EXCLUSIVE", 10, 20, 1);
        at(25, Kind.WROTE, FIRST, "k", 1, true);
        at(30, Kind.HELD, FIRST);
        at(35, Kind.WROTE, FIRST, "k", 1, true);
        at(36, Kind.WROTE, FIRST, "k", 1, true);
        at(70, Kind.HELD, FIRST);
        hold(SECOND, "EXCLUSIVE", 60, 90, 2);
        at(40, Kind.HELD, "other-0-0");
        History history = History.of(entries);
        List<Entry> excerpt = verdict().violations().get(0).excerpt(history);
        assertThat(excerpt)
                .extracting(entry -> entry.at() / 1_000_000)
                .containsExactly(5L, 9L, 10L, 20L, 25L, 36L, 59L, 60L, 70L, 90L);
    }

    @Test
    void anEntryIsReadAsItWasWrittenAndOneCutShortIsLeftOut() {
        Entry entry = Entry.of(7, Kind.WROTE, FIRST, "k", 1, true);
        assertThat(Entry.parse(entry.line())).contains(entry);
        assertThat(Entry.parse("7 WRO")).isEmpty();
        assertThat(Entry.parse("7 WRO x")).isEmpty();
    }
}
