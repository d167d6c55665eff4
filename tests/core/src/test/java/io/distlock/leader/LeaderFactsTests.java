package io.distlock.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockStatus;
import io.distlock.engine.LockClientBuilder;
import io.distlock.engine.ManualClients;
import io.distlock.leader.Instances.Instance;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With which options an election asks for its lock, and what it says of itself, of others, and to work in its term. */
class LeaderFactsTests {

    private final Instances instances = new Instances();
    private final Instance a = instances.start("a");

    /** A minimum hold time would keep others out after a resignation, and a maximum would end the term. */
    @Test
    void theLeaseAndTheLockDelayAreTheClientsAndTheHoldTimesAreNot() {
        AtomicReference<LockOptions> asked = new AtomicReference<>();
        LockProvider listening = (LockProvider) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LockProvider.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("acquire")) {
                        asked.set(((LeaseRequest) arguments[0]).options());
                    }
                    try {
                        return method.invoke(instances.store, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
        LockOptions options = LockOptions.defaults()
                .withLeaseTime(Duration.ofSeconds(40))
                .withLockDelay(Duration.ofSeconds(4))
                .withMinHoldTime(Duration.ofSeconds(5))
                .withMaxHoldTime(Duration.ofMinutes(10));
        try (LockClient client =
                LockClientBuilder.of(listening, a.runtime).options(options).build()) {
            LeaderElectionBuilder.of(client, a.runtime, Instances.ROLE).build().stand();
        }

        assertThat(asked.get())
                .isEqualTo(options.withMinHoldTime(Duration.ZERO)
                        .withMaxHoldTime(LockOptions.MAX_HOLD)
                        .withWaitTime(LockOptions.MAX_WAIT));
    }

    /** It has lost the lock and does not know. */
    @Test
    void whoeverTheStoreNamesLeadsSinceItWasFirstSeenAndNotSinceOnesOwnElection() {
        a.provider.onLossWatched(push -> {});
        a.stand();
        Instance b = instances.start("b").stand();
        instances.advance(Duration.ofSeconds(1));
        instances.store.forceRelease(a.election.key(), a.terms.get(0).token());
        assertThat(b.leads()).isTrue();
        assertThat(a.leads()).isTrue();

        Leader leader = a.election.leader().orElseThrow();

        assertThat(leader.token()).contains(b.terms.get(0).token());
        assertThat(leader.since()).isEqualTo(Instant.EPOCH.plusSeconds(1));
    }

    /** Of a client in another language, for example: its owner value may be the same each time, or it may have no token. */
    @ParameterizedTest
    @CsvSource({"other,,another,", "other,1,other,2", "other,1,another,1", "other,1,other,"})
    void theTermOfTheNextLeaderElsewhereBeginsWhenItIsSeen(String owner, Long token, String next, Long nextToken) {
        AtomicReference<LockStatus.Holder> holder = new AtomicReference<>(holder(owner, token));
        LeaderElection election = seeing(holder);
        assertThat(election.leader().orElseThrow().since()).isEqualTo(Instant.EPOCH);
        instances.advance(Duration.ofMinutes(1));
        assertThat(election.leader().orElseThrow().since()).isEqualTo(Instant.EPOCH);

        holder.set(holder(next, nextToken));

        assertThat(election.leader().orElseThrow().since()).isEqualTo(Instant.EPOCH.plusSeconds(60));
        instances.advance(Duration.ofMinutes(1));
        assertThat(election.leader().orElseThrow().since()).isEqualTo(Instant.EPOCH.plusSeconds(60));
    }

    private static LockStatus.Holder holder(String owner, @Nullable Long token) {
        return new LockStatus.Holder(
                owner, Optional.ofNullable(token).map(FencingToken::new), Optional.of(Duration.ofSeconds(10)));
    }

    private LeaderElection seeing(AtomicReference<LockStatus.Holder> holder) {
        LockProvider provider = (LockProvider) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LockProvider.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("inspect")) {
                        LockKey key = (LockKey) arguments[0];
                        return CompletableFuture.completedFuture(Optional.of(
                                new LockStatus(key, LockMode.EXCLUSIVE, List.of(holder.get()), Optional.empty())));
                    }
                    return method.invoke(instances.store, arguments);
                });
        LockClient client = ManualClients.of(provider, a.runtime, Runnable::run, "looker");
        return LeaderElectionBuilder.of(client, a.runtime, Instances.ROLE).build();
    }

    @Test
    void aListenerThatWasRemovedHearsNothingMore() {
        a.stand();
        a.election.removeListener(a);

        a.election.resign();

        assertThat(instances.news).containsExactly("a elected");
    }

    @Test
    void closingTheClientEndsTheTermForThatReason() {
        a.stand();

        a.client.close();

        assertThat(instances.news).containsExactly("a elected", "a CLIENT_CLOSED");
    }

    @Test
    void itsTextSaysWhetherItStandsAndLeads() {
        assertThat(a.election).hasToString("LeaderElection[report]");
        Instance b = instances.start("b").stand();
        a.stand();
        assertThat(a.election).hasToString("LeaderElection[report, stands]");
        assertThat(b.election).hasToString("LeaderElection[report, leads]");
    }

    @Test
    void workThatIsOverHasNoTimeLeft() {
        a.stand();
        HeldLock work = a.election.enter().orElseThrow();
        assertThat(work.remaining()).isPositive();

        work.release();

        assertThat(work.remaining()).isZero();
    }

    @Test
    void workThatIsLeftTwiceDoesNotEndThatOfAnother() {
        a.stand();
        Instance b = instances.start("b").stand();
        HeldLock once = a.election.enter().orElseThrow();
        HeldLock other = a.election.enter().orElseThrow();
        once.release();
        once.release();

        a.election.resign();
        instances.advance(Duration.ofSeconds(1));

        assertThat(other.isHeld()).isTrue();
        assertThat(b.leads()).isFalse();
    }
}
