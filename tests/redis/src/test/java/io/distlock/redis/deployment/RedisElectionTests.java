package io.distlock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.HeldLockInfo;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderElectionBuilder;
import io.distlock.redis.OneClientFixture;
import io.distlock.redis.TestClient;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What roles cost at a real server, and how soon another instance leads. */
class RedisElectionTests extends OneClientFixture {

    private static final int ROLES = 100;
    private static final Duration LEASE = Duration.ofSeconds(6);

    private static LeaderElection stand(TestClient instance, String role) {
        LeaderElection election = LeaderElectionBuilder.of(instance.locks, instance.runtime, role)
                .leaseTime(LEASE)
                .build();
        election.stand();
        return election;
    }

    private static TestClient instance() {
        return TestClient.of(redis.server().endpoint());
    }

    private static void awaitLeader(LeaderElection election) {
        await().atMost(TestClient.PATIENCE).until(election::isLeader);
    }

    @Test
    void aHundredRolesCostWhatAHundredLocksCost(RedisProbe probe) {
        Cost locks;
        try (TestClient holder = instance()) {
            List<HeldLock> held = IntStream.range(0, ROLES)
                    .mapToObj(each -> holder.locks.acquire(holder.locks
                            .request("orders", Integer.toString(each))
                            .withLeaseTime(LEASE)))
                    .toList();
            locks = renewals(probe, holder);
            held.forEach(HeldLock::release);
        }
        Cost roles;
        try (TestClient leader = instance()) {
            List<LeaderElection> elections = IntStream.range(0, ROLES)
                    .mapToObj(each -> stand(leader, "role-" + each))
                    .toList();
            elections.forEach(RedisElectionTests::awaitLeader);
            roles = renewals(probe, leader);
            elections.forEach(LeaderElection::close);
        }
        System.out.println("commands for renewals of 100: locks " + locks + ", roles " + roles);
        // Whichever leases are due go together, so the number of commands varies with the moment at which each began.
        assertThat(roles.perRenewal()).isLessThanOrEqualTo(Math.max(2 * locks.perRenewal(), 0.5));
    }

    private record Cost(int commands, int renewals) {

        double perRenewal() {
            return (double) commands / renewals;
        }
    }

    private static Cost renewals(RedisProbe probe, TestClient holder) {
        int before = count(holder);
        try (CommandRecorder recorder = probe.record()) {
            await().atMost(TestClient.PATIENCE).until(() -> count(holder) - before >= 2 * ROLES);
            int renewals = count(holder) - before;
            List<String> commands = recorder.names();
            // The connections are probed, however many locks there are.
            List<String> renewing = commands.stream()
                    .filter(name -> !List.of("PING", "INFO").contains(name))
                    .toList();
            assertThat(renewing).containsOnly("EVALSHA");
            return new Cost(renewing.size(), renewals);
        }
    }

    private static int count(TestClient holder) {
        return holder.locks.held().mapToInt(HeldLockInfo::renewals).sum();
    }

    /** Prints how long it took: that depends on the machine. */
    @Test
    void anotherInstanceLeadsAfterAResignation() {
        List<Long> nanos = new ArrayList<>();
        try (TestClient one = instance();
                TestClient two = instance();
                TestClient three = instance()) {
            List<TestClient> instances = List.of(one, two, three);
            List<LeaderElection> elections =
                    instances.stream().map(each -> stand(each, "resigned")).toList();
            for (int round = 0; round < 12; round++) {
                LeaderElection leader = leaderOf(elections);
                await().atMost(TestClient.PATIENCE)
                        .until(() -> instances.stream()
                                .anyMatch(each -> each.locks.waiting().count() > 0));
                long term = leader.term().orElseThrow().token().value();
                long start = System.nanoTime();
                leader.resign();
                LeaderElection next = leaderOf(elections);
                nanos.add(System.nanoTime() - start);
                assertThat(next.term().orElseThrow().token().value()).isGreaterThan(term);
            }
            elections.forEach(LeaderElection::close);
        }
        print("after a resignation", nanos);
    }

    private static LeaderElection leaderOf(List<LeaderElection> elections) {
        return await().atMost(TestClient.PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> elections.stream().filter(LeaderElection::isLeader).findFirst(), Optional::isPresent)
                .orElseThrow();
    }

    /** It says no more, and releases nothing: its connections are closed. */
    @Test
    void anotherInstanceLeadsWhenTheLeaseOfADeadOneIsOver() {
        List<Long> nanos = new ArrayList<>();
        try (TestClient survivor = instance()) {
            for (int round = 0; round < 3; round++) {
                String role = "killed-" + round;
                TestClient victim = instance();
                LeaderElection dying = stand(victim, role);
                awaitLeader(dying);
                LeaderElection next = stand(survivor, role);
                await().atMost(TestClient.PATIENCE)
                        .until(() -> survivor.locks.waiting().count() > 0);
                long term = dying.term().orElseThrow().token().value();
                long start = System.nanoTime();
                victim.connections.close();
                assertThat(leaderOf(List.of(next))).isSameAs(next);
                nanos.add(System.nanoTime() - start);
                assertThat(dying.isLeader()).isFalse();
                assertThat(next.term().orElseThrow().token().value()).isGreaterThan(term);
                next.close();
                victim.close();
            }
        }
        print("after a death, with a lease of " + LEASE.toMillis() + " ms", nanos);
    }

    private static void print(String what, List<Long> nanos) {
        List<Long> sorted = nanos.stream().sorted().toList();
        System.out.printf(
                Locale.ROOT,
                "another instance leads %s, ms: p50 %.1f, max %.1f (%d rounds)%n",
                what,
                sorted.get((sorted.size() - 1) / 2) / 1e6,
                sorted.get(sorted.size() - 1) / 1e6,
                sorted.size());
    }
}
