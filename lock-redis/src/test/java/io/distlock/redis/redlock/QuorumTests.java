package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.redlock.Quorum.Refusals;
import io.distlock.redis.redlock.Quorum.Tally;
import io.distlock.redis.redlock.Quorum.Vote;
import io.distlock.redis.redlock.Quorum.Vote.Refused;
import io.distlock.redis.redlock.Quorum.Votes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The arithmetic of majorities, over all that nodes can say. */
class QuorumTests {

    private static final int GRANTED = 0;
    private static final int REFUSED = 1;
    private static final int SILENT = 2;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void tooFewNodesAreRefusedWithTheCure(int nodes) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Quorum(nodes))
                .withMessageContaining(nodes + " nodes are too few")
                .withMessageContaining("at least 3");
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 6})
    void anEvenNumberOfNodesIsRefusedWithTheCure(int nodes) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Quorum(nodes))
                .withMessageContaining("even number")
                .withMessageContaining("one fewer or one more");
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5, 7, 9})
    void twoMajoritiesAlwaysShareANode(int nodes) {
        Quorum quorum = new Quorum(nodes);
        assertThat(2 * quorum.majority()).isGreaterThan(nodes);
        assertThat(2 * (nodes - quorum.majority())).isLessThan(nodes);
    }

    /** Votes in each possible order: what was decided early is what would have been decided in the end. */
    @ParameterizedTest
    @ValueSource(ints = {3, 5, 7})
    void aVoteIsDecidedAsSoonAsItCanBeAndNeverOtherwiseLater(int nodes) {
        for (List<Integer> said : sequences(nodes)) {
            Votes votes = new Votes(new Quorum(nodes));
            Votes.Outcome decided = Votes.Outcome.OPEN;
            for (int node = 0; node < nodes; node++) {
                votes.set(node, vote(said.get(node)));
                if (decided != Votes.Outcome.OPEN) {
                    assertThat(votes.outcome()).as("%s", said).isEqualTo(decided);
                }
                decided = votes.outcome();
            }
            assertThat(decided).as("%s", said).isEqualTo(inTheEnd(nodes, said));
        }
    }

    private static Vote vote(int said) {
        return said == GRANTED
                ? new Vote.Granted(7)
                : said == REFUSED
                        ? new Refused(OptionalLong.of(1), Optional.empty())
                        : new Vote.Silent(new RedisCallException("silent", true));
    }

    private static Votes votes(int nodes, int... said) {
        Votes votes = new Votes(new Quorum(nodes));
        for (int node = 0; node < said.length; node++) {
            votes.set(node, vote(said[node]));
        }
        return votes;
    }

    private static Votes.Outcome inTheEnd(int nodes, List<Integer> votes) {
        long granted = votes.stream().filter(vote -> vote == GRANTED).count();
        long silent = votes.stream().filter(vote -> vote > REFUSED).count();
        if (granted > nodes / 2) {
            return Votes.Outcome.GRANTED;
        }
        return silent > nodes / 2 ? Votes.Outcome.UNAVAILABLE : Votes.Outcome.REFUSED;
    }

    @Test
    void silenceIsNotTakenForRefusalWhileAMajorityHasNotSpoken() {
        assertThat(votes(5, REFUSED, GRANTED, SILENT, SILENT).outcome()).isEqualTo(Votes.Outcome.OPEN);
        assertThat(votes(5, REFUSED, GRANTED, SILENT, SILENT, SILENT).outcome()).isEqualTo(Votes.Outcome.UNAVAILABLE);
        assertThat(votes(5, REFUSED, GRANTED, SILENT, SILENT, REFUSED).outcome())
                .isEqualTo(Votes.Outcome.REFUSED);
    }

    @Test
    void aMajorityThatGrantsOrRefusesNeedsNoOthers() {
        assertThat(votes(5, GRANTED, GRANTED, GRANTED).outcome()).isEqualTo(Votes.Outcome.GRANTED);
        assertThat(votes(5, REFUSED, REFUSED, REFUSED).outcome()).isEqualTo(Votes.Outcome.REFUSED);
        assertThat(votes(5, SILENT, SILENT, SILENT).outcome()).isEqualTo(Votes.Outcome.UNAVAILABLE);
    }

    @Test
    void moreAnswersThanNodesAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Tally(new Quorum(3), 2, 1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Tally(new Quorum(3), -1, 1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Tally(new Quorum(3), 1, -1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Tally(new Quorum(3), 1, 1, -1));
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5, 7})
    void aTallyIsYesOrNoByMajorityAloneAndUnknownOnlyIfNeitherCanBe(int nodes) {
        for (List<Integer> answers : sequences(nodes)) {
            Tally tally = Tally.of(new Quorum(nodes));
            Tally.Verdict decided = Tally.Verdict.OPEN;
            for (int answer : answers) {
                tally = answer == 0 ? tally.plusYes() : answer == 1 ? tally.plusNo() : tally.plusUnknown();
                if (decided != Tally.Verdict.OPEN) {
                    assertThat(tally.verdict()).as("%s", answers).isEqualTo(decided);
                }
                decided = tally.verdict();
            }
            long yes = answers.stream().filter(answer -> answer == 0).count();
            long no = answers.stream().filter(answer -> answer == 1).count();
            assertThat(decided)
                    .as("%s", answers)
                    .isEqualTo(
                            yes > nodes / 2
                                    ? Tally.Verdict.YES
                                    : no > nodes / 2 ? Tally.Verdict.NO : Tally.Verdict.UNKNOWN);
        }
    }

    private static List<List<Integer>> sequences(int length) {
        List<List<Integer>> all = List.of(List.of());
        for (int at = 0; at < length; at++) {
            List<List<Integer>> longer = new ArrayList<>();
            for (List<Integer> each : all) {
                for (int choice = 0; choice < 3; choice++) {
                    List<Integer> next = new ArrayList<>(each);
                    next.add(choice);
                    longer.add(next);
                }
            }
            all = longer;
        }
        return all;
    }

    @Test
    void theLargestProposalIsTheToken() {
        Votes votes = new Votes(new Quorum(5));
        votes.set(0, new Vote.Granted(7));
        votes.set(1, new Vote.Granted(9));
        votes.set(2, new Refused(OptionalLong.of(1), Optional.empty()));
        votes.set(3, new Vote.Granted(7));
        assertThat(votes.token()).isEqualTo(9);
    }

    @Test
    void aLockIsHeldIfOneOwnerHasAMajorityAndOtherwiseContended() {
        assertThat(refusals(5, 0, 1, 1, 1).isHeld()).isTrue();
        assertThat(refusals(5, 2, 1, 1, 1).isHeld()).isTrue();
        assertThat(refusals(5, 0, 1, 1, 2, 2, 3).isHeld()).isFalse();
        assertThat(readersFor(100).isHeld()).isTrue();
        assertThat(refusals(3, 1, 1, 2).isHeld()).isFalse();
    }

    @Test
    void itIsFreeWhenEnoughOfTheNodesAre() {
        Refusals held = new Refusals(new Quorum(5), 1, 0, List.of(after(300), after(100), after(200), after(400)));
        assertThat(held.freeIn()).contains(Duration.ofMillis(200));
        assertThat(new Refusals(
                                new Quorum(3),
                                0,
                                1,
                                List.of(
                                        new Refused(OptionalLong.of(2), Optional.empty()),
                                        new Refused(OptionalLong.of(1), Optional.empty())))
                        .freeIn())
                .isEmpty();
    }

    @Test
    void aNodeThatKeepsALockForLongerThanOthersDelaysNobodyWhileSomeHaveNotSpoken() {
        Refusals held = new Refusals(new Quorum(3), 0, 1, List.of(after(3_600_000), after(200)));
        assertThat(held.freeIn()).contains(Duration.ofMillis(200));
        Refusals byAll = new Refusals(new Quorum(3), 0, 0, List.of(after(3_600_000), after(200)));
        assertThat(byAll.freeIn()).contains(Duration.ofHours(1));
    }

    @Test
    void nodesThatHaveNotSpokenMayFreeItWithTheFirst() {
        Refusals held = new Refusals(new Quorum(5), 1, 2, List.of(after(900), after(100)));
        assertThat(held.freeIn()).contains(Duration.ofMillis(100));
    }

    @Test
    void aRefusedTryKnowsHowManyHaveGrantedAndHowManyHaveNotSpoken() {
        Votes votes = votes(7, GRANTED, REFUSED, REFUSED, SILENT, REFUSED);
        assertThat(votes.refusals())
                .isEqualTo(new Refusals(
                        new Quorum(7),
                        1,
                        2,
                        List.of(
                                new Refused(OptionalLong.of(1), Optional.empty()),
                                new Refused(OptionalLong.of(1), Optional.empty()),
                                new Refused(OptionalLong.of(1), Optional.empty()))));
        assertThat(votes.refusals().answers()).isEqualTo(4);
    }

    /** One owner alone may hold the lock by the votes of silent nodes. */
    @Test
    void votesAreSplitBetweenOwnersOrWhereAllNodesHaveAnswered() {
        assertThat(refusals(5, 1, 1, 2).isSplit()).isTrue();
        assertThat(refusals(3, 1, 1, 1).isSplit()).isTrue();
        assertThat(refusals(5, 1, 1, 1).isSplit()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void anAnswerThatComesAfterASilenceReplacesIt(int nodes) {
        for (List<Integer> said : sequences(nodes)) {
            for (List<Integer> later : sequences(nodes)) {
                Votes votes = votes(nodes, said.stream().mapToInt(each -> each).toArray());
                List<Integer> known = new ArrayList<>(said);
                for (int node = 0; node < nodes; node++) {
                    if (said.get(node) == SILENT) {
                        known.set(node, later.get(node));
                        votes.set(node, vote(later.get(node)));
                    }
                }
                assertThat(votes.outcome()).as("%s, then %s", said, known).isEqualTo(inTheEnd(nodes, known));
            }
        }
    }

    @Test
    void readersAreLookedAtAgainForTheyMayBePartsOfTriesThatAreTakenBack() {
        assertThat(readersFor(3_600_000).freeIn()).contains(Duration.ofSeconds(5));
        assertThat(readersFor(200).freeIn()).contains(Duration.ofMillis(200));
    }

    private static Refusals readersFor(int millis) {
        Refused byReaders = new Refused(OptionalLong.empty(), Optional.of(Duration.ofMillis(millis)));
        return new Refusals(new Quorum(3), 0, 0, List.of(byReaders, byReaders));
    }

    private static Refused after(int millis) {
        return new Refused(OptionalLong.of(1), Optional.of(Duration.ofMillis(millis)));
    }

    private static Refusals refusals(int nodes, int granted, long... holders) {
        return new Refusals(
                new Quorum(nodes),
                granted,
                0,
                Arrays.stream(holders)
                        .mapToObj(holder -> new Refused(OptionalLong.of(holder), Optional.of(Duration.ofMillis(100))))
                        .toList());
    }

    @Test
    void theSameServerUnderTwoNamesIsFoundAndForgottenOnceMended() {
        RunIds runIds = new RunIds();
        runIds.seen("a:1", "run-1");
        runIds.seen("b:1", "run-2");
        assertThat(runIds.clash()).isEmpty();
        runIds.seen("b:1", "run-1");
        assertThat(runIds.clash().orElseThrow()).contains("a:1", "b:1", "run-1", "list each server once");
        runIds.seen("b:1", "run-3");
        assertThat(runIds.clash()).isEmpty();
    }

    @Test
    void theSameServerUnderTwoNamesStaysKnownWhileAnotherIsRestarted() {
        RunIds runIds = new RunIds();
        runIds.seen("a:1", "run-1");
        runIds.seen("b:1", "run-1");
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger unnoticed = new AtomicInteger();
        CompletableFuture<Void> looks = CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                unnoticed.addAndGet(runIds.clash().isPresent() ? 0 : 1);
            }
        });
        for (int restart = 0; restart < 100_000; restart++) {
            runIds.seen("c:1", "run-" + restart % 2);
        }
        over.set(true);
        looks.join();
        assertThat(unnoticed).hasValue(0);
    }
}
