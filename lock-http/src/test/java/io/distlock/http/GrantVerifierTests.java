package io.distlock.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockUnavailableException;
import io.distlock.Sequencer;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

class GrantVerifierTests {

    /** Arbitrary, like that of any monotonic clock: a reading must not be taken for a time span. */
    private static final long BEGUN = 1_000_003_000_000_007L;

    private final Set<Sequencer> current = new HashSet<>();
    private int questions;
    private Duration time = Duration.ZERO;

    private final Ticker clock = new Ticker() {
        @Override
        public long nanos() {
            return BEGUN + time.toNanos();
        }

        @Override
        public long wallMillis() {
            return time.toMillis();
        }
    };

    private final GrantVerifier verifier =
            new GrantVerifier(new MemoryFence(3, clock), Optional.of(this::ask), 2, clock);

    private boolean isCurrent(Sequencer grant) {
        questions++;
        return current.contains(grant);
    }

    private CompletableFuture<Boolean> ask(Sequencer grant) {
        return CompletableFuture.completedFuture(isCurrent(grant));
    }

    @Test
    void theStoreIsAskedOnceForEachGrant() {
        current.add(grant("a", 1));
        for (int i = 0; i < 5; i++) {
            verifier.verify(grant("a", 1));
        }
        assertThat(questions).isEqualTo(1);
        current.add(grant("a", 2));
        verifier.verify(grant("a", 2));
        assertThat(questions).isEqualTo(2);
        assertRefused(verifier, grant("a", 1), 412);
        assertThat(questions).isEqualTo(2);
    }

    @Test
    void aForgedTokenLocksNobodyOut() {
        current.add(grant("a", 5));
        verifier.verify(grant("a", 5));
        for (long forged : new long[] {1, 4, 6, Long.MAX_VALUE}) {
            assertRefused(verifier, grant("a", forged), 412);
        }
        verifier.verify(grant("a", 5));
    }

    /** As one that has waited for a thread, while the fence forgot a later holder. */
    @Test
    void aConfirmationIsNotUsedLongAfterIt() {
        current.add(grant("a", 1));
        GrantVerifier.Confirmation early = verifier.confirm(grant("a", 1)).join();
        time = time.plusSeconds(45);
        verifier.advance(grant("a", 1), early);
        time = time.plusNanos(1);
        assertThatExceptionOfType(LockRequirementException.class)
                .isThrownBy(() -> verifier.advance(grant("a", 1), early))
                .satisfies(
                        refused -> assertThat(refused.getStatusCode().value()).isEqualTo(503));
    }

    /** Or a reader could make a writer of itself. */
    @Test
    void aConfirmedReaderIsNotAConfirmedWriter() {
        Sequencer shared = new Sequencer(LockKey.of("a"), LockMode.SHARED, new FencingToken(1));
        current.add(shared);
        verifier.verify(shared);
        assertRefused(verifier, grant("a", 1), 412);
    }

    @Test
    void aGrantThatWasForgottenIsAskedAboutAgain() {
        for (String key : new String[] {"a", "b", "c"}) {
            current.add(grant(key, 1));
            verifier.verify(grant(key, 1));
        }
        current.remove(grant("a", 1));
        assertRefused(verifier, grant("a", 1), 412);
        assertThat(questions).isEqualTo(4);
    }

    @Test
    void asManyGrantsAreRememberedAsItsCapacitySays() {
        current.addAll(Set.of(grant("a", 1), grant("b", 1)));
        for (int times = 0; times < 2; times++) {
            verifier.verify(grant("a", 1));
            verifier.verify(grant("b", 1));
        }
        assertThat(questions).isEqualTo(2);
    }

    /** Its token could be one that the fence has forgotten. */
    @Test
    void neitherAnUnconfirmedGrantNorALateOneReachesTheFence() {
        List<Sequencer> presented = new ArrayList<>();
        GrantVerifier recording = new GrantVerifier(presented::add, Optional.of(this::ask), 2, clock);
        assertRefused(recording, grant("a", 1), 412);
        current.add(grant("a", 2));
        GrantVerifier.Confirmation early = recording.confirm(grant("a", 2)).join();
        time = time.plusSeconds(46);
        assertThatExceptionOfType(LockRequirementException.class)
                .isThrownBy(() -> recording.advance(grant("a", 2), early));
        assertThat(presented).isEmpty();
    }

    /** The fence may have forgotten the later holder since. */
    @Test
    void aConfirmationAges() {
        current.add(grant("a", 1));
        verifier.verify(grant("a", 1));
        time = Duration.ofSeconds(29);
        verifier.verify(grant("a", 1));
        assertThat(questions).isEqualTo(1);
        time = Duration.ofSeconds(30);
        verifier.verify(grant("a", 1));
        assertThat(questions).isEqualTo(2);
        current.clear();
        time = Duration.ofSeconds(60);
        assertRefused(verifier, grant("a", 1), 412);
    }

    /** The store may have answered late: its answer is as old as the question. */
    @Test
    void aConfirmationAgesFromItsQuestion() {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        GrantVerifier slow = new GrantVerifier(
                new MemoryFence(3, clock),
                Optional.of(grant -> {
                    questions++;
                    return answer;
                }),
                2,
                clock);
        CompletableFuture<GrantVerifier.Confirmation> first = slow.confirm(grant("a", 1));
        time = Duration.ofSeconds(20);
        answer.complete(true);
        assertThat(first).isCompletedWithValue(new GrantVerifier.Confirmation(true, BEGUN));
        time = Duration.ofSeconds(29);
        assertThat(slow.confirm(grant("a", 1))).isCompletedWithValue(new GrantVerifier.Confirmation(true, BEGUN));
        assertThat(questions).isEqualTo(1);
        time = Duration.ofSeconds(30);
        slow.verify(grant("a", 1));
        assertThat(questions).isEqualTo(2);
    }

    @Test
    void aRememberedConfirmationIsNotUsedLongAfterItsQuestion() {
        current.add(grant("a", 1));
        verifier.verify(grant("a", 1));
        time = Duration.ofSeconds(29);
        GrantVerifier.Confirmation remembered = verifier.confirm(grant("a", 1)).join();
        time = Duration.ofSeconds(46);
        assertThatExceptionOfType(LockRequirementException.class)
                .isThrownBy(() -> verifier.advance(grant("a", 1), remembered))
                .satisfies(
                        refused -> assertThat(refused.getStatusCode().value()).isEqualTo(503));
    }

    @Test
    void aRefusalIsRememberedNeitherAsOneNorAsAConfirmation() {
        assertRefused(verifier, grant("a", 1), 412);
        assertRefused(verifier, grant("a", 1), 412);
        current.add(grant("a", 1));
        verifier.verify(grant("a", 1));
    }

    @Test
    void anInterruptedRequestIs503AndStaysInterrupted() {
        GrantVerifier silent =
                new GrantVerifier(new MemoryFence(3, clock), Optional.of(grant -> new CompletableFuture<>()), 2, clock);
        Thread.currentThread().interrupt();
        assertRefused(silent, grant("a", 1), 503);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void anErrorInAFenceIsNotTakenForARefusal() {
        GrantVerifier broken = new GrantVerifier(
                sequencer -> {
                    throw new IllegalStateException("a bug");
                },
                Optional.empty(),
                2,
                clock);
        assertThatIllegalStateException()
                .isThrownBy(() -> broken.verify(grant("a", 1)))
                .withMessage("a bug");
    }

    @Test
    void aHolderOfLongAgoIsServedAfterTheMemoryHasTurnedOver() {
        current.add(grant("long", 1));
        verifier.verify(grant("long", 1));
        for (int i = 2; i < 6; i++) {
            current.add(grant("other" + i, i));
            verifier.verify(grant("other" + i, i));
        }
        verifier.verify(grant("long", 1));
        current.clear();
        assertRefused(verifier, grant("other2", 2), 412);
    }

    @Test
    void aStoreThatDoesNotAnswerIsNeitherYesNorNo() {
        GrantVerifier silent = new GrantVerifier(
                new MemoryFence(3, clock),
                Optional.of(grant -> CompletableFuture.failedFuture(
                        new LockUnavailableException(grant.key(), Duration.ZERO, "no answer", null))),
                2,
                clock);
        assertRefused(silent, grant("a", 1), 503);
    }

    /** Anybody can send requests. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void ofManyRequestsThatCannotBeCheckedOneAMinuteIsLogged(CapturedOutput output) {
        GrantVerifier silent = new GrantVerifier(
                new MemoryFence(3, clock),
                Optional.of(grant -> CompletableFuture.failedFuture(
                        new LockUnavailableException(grant.key(), Duration.ZERO, "no answer", null))),
                2,
                clock);
        for (int forged = 1; forged < 100; forged++) {
            assertRefused(silent, grant("forged" + forged, forged), 503);
        }
        time = Duration.ofSeconds(59);
        assertRefused(silent, grant("in time", 1), 503);
        assertThat(output).containsOnlyOnce("WARN").containsOnlyOnce("A request was refused because");
        time = Duration.ofMinutes(1);
        assertRefused(silent, grant("another", 1), 503);
        assertThat(output).contains("another");
        // Nor are those caught up on that were not needed meanwhile.
        time = Duration.ofHours(1);
        assertRefused(silent, grant("later", 1), 503);
        assertRefused(silent, grant("afterwards", 1), 503);
        assertThat(output).contains("later").doesNotContain("afterwards");
    }

    @Test
    void aClientThatThrowsAtOnceIsNeitherYesNorNo() {
        GrantVerifier broken = new GrantVerifier(
                new MemoryFence(3, clock),
                Optional.of(grant -> {
                    throw new LockUnavailableException(grant.key(), Duration.ZERO, "not connected", null);
                }),
                2,
                clock);
        assertRefused(broken, grant("a", 1), 503);
    }

    @Test
    void authenticGrantsAreNotAskedAbout() {
        GrantVerifier signed = new GrantVerifier(new MemoryFence(3, clock), Optional.empty(), 2, clock);
        signed.verify(grant("a", 2));
        assertRefused(signed, grant("a", 1), 412);
    }

    private static Sequencer grant(String name, long token) {
        return new Sequencer(LockKey.of(name), LockMode.EXCLUSIVE, new FencingToken(token));
    }

    private static void assertRefused(GrantVerifier verifier, Sequencer grant, int status) {
        assertThatExceptionOfType(LockRequirementException.class)
                .isThrownBy(() -> verifier.verify(grant))
                .satisfies(
                        refusal -> assertThat(refusal.getStatusCode().value()).isEqualTo(status));
    }
}
