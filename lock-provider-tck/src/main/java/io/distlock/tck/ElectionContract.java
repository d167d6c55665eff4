package io.distlock.tck;

import static io.distlock.tck.ContractFixture.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.LockClient;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.leader.Leader;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderElectionBuilder;
import io.distlock.leader.LeaderListener;
import io.distlock.leader.LeaderTerm;
import io.distlock.leader.Revocation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One of several instances leads, and another takes over. */
abstract class ElectionContract extends ContractPart {

    /** Renewed every two seconds, so that also a store that does not tell losses is noticed soon. */
    private static final Duration LEASE = Duration.ofSeconds(6);

    private final String role = UUID.randomUUID().toString();
    private final List<LeaderElection> instances = new ArrayList<>();

    /** What all instances were told, in order. */
    private final List<Told> told = new CopyOnWriteArrayList<>();

    private record Told(FencingToken term, Optional<Revocation> end) {}

    private final class Listener implements LeaderListener {

        @Override
        public void onElected(LeaderTerm term) {
            told.add(new Told(term.token(), Optional.empty()));
        }

        @Override
        public void onRevoked(LeaderTerm term, Revocation reason) {
            told.add(new Told(term.token(), Optional.of(reason)));
        }
    }

    ElectionContract(ContractFixture fixture) {
        super(fixture);
    }

    private void stand(LockClient client) {
        LeaderElection instance = LeaderElectionBuilder.of(client, runtime(), role)
                .leaseTime(LEASE)
                .listener(new Listener())
                .build();
        instances.add(instance);
        instance.stand();
    }

    @AfterEach
    void withdraw() {
        instances.forEach(LeaderElection::close);
    }

    private LeaderElection leader() {
        return await().atMost(PATIENCE)
                .until(() -> instances.stream().filter(LeaderElection::isLeader).findFirst(), Optional::isPresent)
                .orElseThrow();
    }

    private FencingToken termOf(LeaderElection instance) {
        return instance.term().orElseThrow().token();
    }

    @Test
    void oneOfSeveralLeadsAndTheStoreKnowsIt() {
        stand(one());
        stand(other());
        LeaderElection leader = leader();
        assertThat(instances).filteredOn(LeaderElection::isLeader).containsExactly(leader);
        for (LeaderElection asked : instances) {
            Leader found = await().atMost(PATIENCE)
                    .ignoreException(LockUnavailableException.class)
                    .until(asked::leader, Optional::isPresent)
                    .orElseThrow();
            assertThat(found.token()).contains(termOf(leader));
        }
    }

    @Test
    void whoeverResignsIsToldBeforeAnotherIsElectedInALaterTerm() {
        stand(one());
        stand(other());
        stand(newClient(newSeparateProvider()));
        for (int round = 0; round < 3; round++) {
            LeaderElection leader = leader();
            FencingToken before = termOf(leader);
            assertThat(leader.resign()).isTrue();
            assertThat(leader.isLeader()).isFalse();
            assertThat(termOf(leader()).value()).isGreaterThan(before.value());
        }
        withdraw();
        assertThat(told).hasSizeGreaterThanOrEqualTo(8);
        for (int at = 0; at < told.size(); at += 2) {
            assertThat(told.get(at).end()).isEmpty();
            assertThat(told.get(at + 1).term()).isEqualTo(told.get(at).term());
            assertThat(told.get(at + 1).end()).isPresent();
        }
    }

    @Test
    void aLeaderThatIsRobbedIsToldAndAnotherTermBegins() {
        stand(one());
        stand(other());
        LeaderElection leader = leader();
        FencingToken robbed = termOf(leader);
        await().atMost(PATIENCE)
                .ignoreException(LockUnavailableException.class)
                .until(() -> other().forceRelease(leader.key(), robbed) == Release.RELEASED);
        await().atMost(PATIENCE)
                .until(() -> told.stream()
                        .anyMatch(
                                each -> each.term().equals(robbed) && each.end().isPresent()));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(termOf(leader()).value()).isGreaterThan(robbed.value()));
    }
}
