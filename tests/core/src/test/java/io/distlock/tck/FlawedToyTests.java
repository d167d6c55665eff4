package io.distlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.tck.ToyLockProvider.Flaw;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each flaw of a provider is caught by the test that is for it, which passes without the flaw. All run at the same time, since
 * some wait as long as the contract's patience for what never happens.
 */
class FlawedToyTests {

    static List<Arguments> flaws() {
        return List.of(
                caught(Flaw.CLOSING_DELETES_LEASES, c -> c.new Repetition().aProviderThatIsClosedLeavesItsLocks()),
                caught(
                        Flaw.TOKENS_ARE_RESERVED_BY_CONNECTION,
                        c -> c.new Repetition().tokensGrowWhicheverConnectionTheyComeOver()),
                caught(Flaw.LOSSES_ARE_NOT_TOLD, c -> c.new Losing().aHolderThatIsRobbedIsTold()),
                caught(Flaw.LOSSES_ARE_TOLD_TO_ALL, c -> c.new Losing().nobodyIsToldOfTheLossOfAnother()),
                caught(
                        Flaw.NOTHING_IS_WITHDRAWN,
                        c -> c.new Repetition().anAcquisitionThatIsCancelledAtOnceLeavesNothing()),
                caught(
                        Flaw.A_SECOND_RELEASE_FREES,
                        c -> c.new Repetition().aReleaseThatArrivesTwiceDoesNotFreeWhatTheFirstKept()),
                caught(
                        Flaw.A_RENEWAL_REVIVES,
                        c -> c.new Repetition().aRenewalThatArrivesAfterTheReleaseDoesNotBringTheLockBack()),
                caught(
                        Flaw.READERS_DO_NOT_LET_WRITERS_PASS,
                        c -> c.new Exclusion().readersThatKeepComingDoNotStarveAWriter()),
                caught(
                        Flaw.A_SESSION_KEEPS_ALL_LEASES,
                        c -> c.new Leasing().aLeaseThatIsNoLongerRenewedEndsWhileOthersAreRenewed()));
    }

    private static Arguments caught(Flaw flaw, Consumer<ToyContract> test) {
        return Arguments.of(flaw, run(Flaw.NONE, test), run(flaw, test));
    }

    private static CompletableFuture<Void> run(Flaw flaw, Consumer<ToyContract> test) {
        return CompletableFuture.runAsync(
                () -> {
                    ToyContract contract = new ToyContract(flaw, false);
                    contract.connect();
                    try {
                        test.accept(contract);
                    } finally {
                        contract.disconnect();
                    }
                },
                task -> new Thread(task, "toy").start());
    }

    @ParameterizedTest
    @MethodSource("flaws")
    void aFlawIsCaughtByItsTestWhichPassesWithoutIt(
            Flaw flaw, CompletableFuture<Void> without, CompletableFuture<Void> with) {
        assertThat(without).succeedsWithin(ContractFixture.LONG_PATIENCE);
        assertThat(with)
                .as("%s", flaw)
                .failsWithin(ContractFixture.LONG_PATIENCE)
                .withThrowableThat()
                .extracting(Throwable::getCause)
                .isInstanceOfAny(AssertionError.class, ConditionTimeoutException.class);
    }
}
