package io.distlock.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockLoss;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.engine.ManualClients;
import io.distlock.leader.Instances.Instance;
import io.distlock.spi.LockProvider;
import io.distlock.support.SimulatedRuntime;
import io.distlock.test.provider.Fault;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What trouble leaves behind: in the log, among the timers, and for the next term. */
class LeaderTroubleTests {

    private final Instances instances = new Instances();
    private final Instance a = instances.start("a");
    private final Logger logger = (Logger) LoggerFactory.getLogger(LeaderElection.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(log);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(log);
        logger.setLevel(null);
    }

    private List<String> logged(String part) {
        return log.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(message -> message.contains(part))
                .toList();
    }

    // --- what the next term waits for ---

    @Test
    void afterALossItStandsAgainAtOnceHoweverOftenTheStoreHadFailedBefore() {
        a.provider.onAcquire(Fault.ERROR);
        a.stand();
        instances.advance(Duration.ofMinutes(5));
        a.provider.heal();
        instances.advance(Duration.ofSeconds(5));
        assertThat(a.terms).hasSize(1);

        instances.store.forceRelease(a.election.key(), a.terms.get(0).token());
        instances.advanceUntil(() -> instances.news.contains("a LOST"), Instances.LEASE);
        instances.advance(Duration.ofMillis(100));

        assertThat(a.terms).hasSize(2);
    }

    /** The lock is given back by then. */
    @Test
    void aNewCandidacyWaitsForAListenerEvenLongerThanTheRevokeTimeout() {
        a.stand();
        a.holdCallbacks();
        var over = a.election.withdraw();
        a.passCallbacks();
        a.stand();
        instances.advance(Duration.ofMinutes(5));
        assertThat(over).isCompleted();
        assertThat(instances.atStore()).isEmpty();
        assertThat(a.provider.acquires()).isOne();

        a.runCallbacks();

        assertThat(instances.news).containsExactly("a elected", "a WITHDRAWN", "a elected");
    }

    /** So that others can be elected, also where they ask only every second. */
    @Test
    void whoResignsDoesNotStandAgainForTwoSeconds() {
        a.stand();
        a.election.resign();
        instances.advance(Duration.ofMillis(1_999));
        assertThat(a.provider.acquires()).isOne();
        instances.advance(Duration.ofMillis(1));

        assertThat(a.terms).hasSize(2);
    }

    @Test
    void aGrantThatComesAfterTheWithdrawalIsGivenBackAndNotAnnounced() {
        a.provider.onAcquire(Fault.LATE);
        a.stand();
        var over = a.election.withdraw();
        a.provider.deliver();
        instances.advance(Duration.ofSeconds(10));

        assertThat(over).isCompleted();
        assertThat(instances.news).isEmpty();
        assertThat(instances.atStore()).isEmpty();
    }

    @Test
    void listenersAreToldOfTheEndLastFirstAndAnErrorOfOneStopsNoOther() {
        List<String> order = new ArrayList<>();
        for (String name : List.of("first", "second", "third")) {
            a.election.addListener(new LeaderListener() {

                @Override
                public void onRevoked(LeaderTerm term, Revocation reason) {
                    order.add(name);
                    throw new AssertionError(name + " is broken");
                }
            });
        }
        a.stand();
        a.election.resign();

        assertThat(order).containsExactly("third", "second", "first");
    }

    @Test
    void standsAgainOnlyWhenAListenerHasReturnedHoweverLongThatTakes() {
        a.stand();
        a.holdCallbacks();
        a.election.resign();
        a.passCallbacks();
        instances.advance(Duration.ofMinutes(5));
        assertThat(instances.atStore()).isEmpty();
        assertThat(a.provider.acquires()).isOne();

        a.runCallbacks();
        instances.advance(Duration.ofSeconds(3));

        assertThat(instances.news).containsExactly("a elected", "a RESIGNED", "a elected");
    }

    /** A term may last for months, and know of all work that was ever done in it. */
    @Test
    void workThatIsOverIsForgotten() {
        a.stand();
        HeldLock over = a.election.enter().orElseThrow();
        HeldLock current = a.election.enter().orElseThrow();
        List<LockLoss> news = new ArrayList<>();
        over.onLost(news::add);
        current.onLost(news::add);
        over.close();

        instances.store.forceRelease(a.election.key(), a.terms.get(0).token());
        instances.advanceUntil(() -> instances.news.contains("a LOST"), Instances.LEASE);

        assertThat(news).hasSize(1);
    }

    @Test
    void closingWaitsForListeners() throws InterruptedException {
        a.stand();
        a.holdCallbacks();
        Thread closing = new Thread(a.election::close);
        closing.start();
        await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
        assertThat(instances.atStore()).isPresent();

        a.runCallbacks();
        closing.join();

        assertThat(instances.atStore()).isEmpty();
    }

    @Test
    void theRevokeTimeoutIsTheOneThatWasAskedFor() {
        LeaderElectionBuilder builder = LeaderElectionBuilder.of(a.client, a.runtime, Instances.ROLE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.revokeTimeout(Duration.ofHours(2)))
                .withMessageContaining("revoke timeout");
        assertThatIllegalArgumentException().isThrownBy(() -> builder.revokeTimeout(Duration.ofMillis(-1)));
        LeaderElection election = builder.revokeTimeout(Duration.ofSeconds(3)).build();
        election.stand();
        assertThat(election.enter()).isPresent();

        election.withdraw();
        long kept = instances.advanceUntil(() -> instances.atStore().isEmpty(), Duration.ofMinutes(1));

        assertThat(kept).isEqualTo(3_000);
    }

    @Test
    void aLeaseThatTheStoreCannotGrantIsRefusedBeforeItStands() {
        LockProvider picky = (LockProvider) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LockProvider.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("validate")
                            && ((LockOptions) arguments[0]).leaseTime().compareTo(Duration.ofMinutes(1)) > 0) {
                        throw new IllegalArgumentException("too long a lease");
                    }
                    try {
                        return method.invoke(instances.store, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
        LockClient client = ManualClients.of(picky, a.runtime, Runnable::run, "picky");
        LeaderElectionBuilder builder = LeaderElectionBuilder.of(client, a.runtime, Instances.ROLE);

        assertThatIllegalArgumentException()
                .isThrownBy(builder.leaseTime(Duration.ofMinutes(2))::build)
                .withMessageContaining("too long a lease");
    }

    // --- what is left of a term ---

    @Test
    void aTermThatIsOverLeavesNoTimer() {
        a.stand().election.withdraw();
        int before = a.scheduler.pending();

        for (int term = 0; term < 10; term++) {
            a.stand().election.withdraw();
        }

        assertThat(a.terms).hasSize(11);
        assertThat(a.scheduler.pending()).isEqualTo(before);
    }

    @Test
    void whoWithdrawsDuringAPauseLeavesNoTimer() {
        a.provider.onAcquire(Fault.REFUSED);
        a.stand().election.withdraw();
        int before = a.scheduler.pending();

        for (int pause = 0; pause < 10; pause++) {
            a.stand().election.withdraw();
        }

        assertThat(a.scheduler.pending()).isEqualTo(before);
    }

    /** Its timers do not know of the time that the machine has slept. */
    @Test
    void aMachineThatWakesInTheMarginRevokesTheTermBeforeItIsAsked() {
        SimulatedRuntime.watchClocks(a.runtime);
        a.stand();
        instances.ticker.stepWallClock(Duration.ofMillis(Instances.TERM_MILLIS + 1));

        instances.advanceUntil(() -> instances.news.contains("a EXPIRED"), Duration.ofMillis(1_500));
    }

    @Test
    void workIsLeftAsynchronouslyToo() {
        a.stand();
        HeldLock work = a.election.enter().orElseThrow();

        assertThat(work.releaseAsync().toCompletableFuture()).isCompletedWithValue(Release.RELEASED);
        assertThat(work.isHeld()).isFalse();
    }

    // --- what the log says ---

    @Test
    void theLogSaysOnceThatTheStoreDoesNotAnswer() {
        a.provider.onAcquire(Fault.ERROR);
        a.stand();
        instances.advance(Duration.ofMinutes(1));

        assertThat(logged("Cannot stand for 'report'")).hasSize(1);
    }

    @Test
    void theLogDoesNotTakeAWithdrawalForTrouble() {
        Instance b = instances.start("b");
        a.stand();
        b.stand();
        b.election.withdraw();

        assertThat(logged("Cannot stand")).isEmpty();
    }

    @Test
    void theLogSaysWhyATermHasEnded() {
        a.stand();
        a.election.resign();

        assertThat(logged("This instance leads 'report' (term 1)")).hasSize(1);
        assertThat(logged("no longer leads 'report' (term 1): it resigned")).hasSize(1);
        assertThat(logged("still runs")).isEmpty();
    }

    @Test
    void theLogSaysWhatKeptTheLockUntilTheRevokeTimeout() {
        a.stand();
        a.holdCallbacks();
        a.election.resign();
        instances.advance(Duration.ofMinutes(1));
        a.runCallbacks();
        assertThat(logged("although a listener still runs")).hasSize(1);

        instances.advance(Duration.ofSeconds(10));
        assertThat(a.election.enter()).isPresent();
        a.election.resign();
        instances.advance(Duration.ofMinutes(1));
        assertThat(logged("although work of its term still runs")).hasSize(1);
    }
}
