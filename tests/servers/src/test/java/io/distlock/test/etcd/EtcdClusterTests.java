package io.distlock.test.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EtcdClusterTests {

    @RegisterExtension
    static final EtcdClusterExtension etcd = EtcdClusterExtension.create();

    private EtcdCluster cluster;

    @BeforeEach
    void takesTheCluster(EtcdCluster parameter) {
        cluster = parameter;
        assertThat(parameter).isSameAs(etcd.cluster());
    }

    @Test
    void hasThreeMembersThatShareTheirKeys() {
        cluster.member(0).probe().put("key", "value");

        assertThat(cluster.members()).hasSize(3).allMatch(EtcdServer::isAwake);
        assertThat(cluster.member(1).probe().keys("")).containsExactly("key");
        assertThat(cluster.member(2).probe().keys("")).containsExactly("key");
        assertThat(cluster.uris())
                .containsExactly(
                        cluster.member(0).uri(),
                        cluster.member(1).uri(),
                        cluster.member(2).uri());
    }

    @Test
    void followsOneLeader() {
        EtcdServer leader = cluster.awaitLeader();

        long id = leader.probe().status().member();
        assertThat(cluster.members()).allMatch(each -> each.probe().status().leader() == id);
        assertThat(cluster.followers()).hasSize(2).doesNotContain(leader);
    }

    @Test
    void anotherLeaderFollowsOneThatIsKilled() {
        EtcdServer killed = cluster.awaitLeader();
        killed.probe().put("before", "");

        killed.kill();

        EtcdServer next = cluster.awaitLeader();
        assertThat(next).isNotSameAs(killed);
        next.awaitHealthy();
        next.probe().put("after", "");
        killed.restart();
        assertThat(killed.probe().keys("")).containsExactly("before", "after");
    }

    @Test
    void anotherLeaderFollowsOneThatIsFrozen() {
        EtcdServer frozen = cluster.awaitLeader();

        frozen.freeze();

        EtcdServer next = cluster.awaitLeader();
        assertThat(next).isNotSameAs(frozen);
        assertThat(cluster.followers()).hasSize(1).doesNotContain(frozen, next);
        frozen.thaw();
        long id = next.probe().status().member();
        await().until(() -> frozen.probe().status().leader() == id);
        assertThat(cluster.leader()).contains(next);
    }

    @Test
    void aLeaderThatIsStoppedHandsOver() {
        EtcdServer stopped = cluster.awaitLeader();

        stopped.stop();

        assertThat(cluster.awaitLeader()).isNotSameAs(stopped);
    }

    @Test
    void theLeadCanBeMoved() {
        EtcdServer next = cluster.followers().get(1);

        cluster.moveLeaderTo(next);

        assertThat(cluster.leader()).contains(next);
    }

    @Test
    void withoutAMajorityThereIsNoLeader() {
        EtcdServer left = cluster.awaitLeader();
        List<EtcdServer> followers = cluster.followers();

        followers.forEach(EtcdServer::kill);

        // It takes itself for the leader until it has missed their answers for a while.
        assertThat(cluster.leader()).isEmpty();
        await().until(() -> !left.probe().isHealthy());
    }

    @Test
    void aMajorityIsEnough() {
        EtcdServer left = cluster.member(1);
        cluster.member(0).kill();
        cluster.member(2).kill();

        cluster.member(0).relaunch();

        left.awaitHealthy();
        left.probe().put("key", "value");
        assertThat(cluster.awaitLeader()).isNotSameAs(cluster.member(2));
    }

    @Test
    void aRestartOfAllKeepsTheKeys() {
        cluster.probe().put("key", "value");

        cluster.restart();

        assertThat(cluster.probe().keys("")).containsExactly("key");
    }

    @Test
    void countsTheRpcsOfAllMembers() {
        EtcdRpcs before = cluster.rpcs();

        cluster.endpoints().stream().map(EtcdProbe::of).forEach(each -> each.put("key", "value"));

        assertThat(cluster.rpcs().since(before).started("Put")).isEqualTo(3);
    }

    @Test
    void hasAtLeastOneMember() {
        assertThatIllegalArgumentException().isThrownBy(() -> EtcdCluster.start(EtcdServerOptions.defaults(), 0));
    }

    @Test
    void speaksTlsAndAsksForAPassword() {
        EtcdServerOptions options = EtcdServerOptions.defaults().withMutualTls().withPassword("secret");

        try (EtcdCluster secured = EtcdCluster.start(options)) {
            secured.probe().put("key", "value");

            assertThat(secured.members())
                    .allSatisfy(each -> assertThat(each.probe().keys("")).containsExactly("key"));
        }
    }

    @Test
    void aMemberThatIsCutOffIsAloneUntilItIsReunited() {
        try (EtcdCluster severable =
                EtcdCluster.start(EtcdServerOptions.defaults().withSeverablePeers())) {
            EtcdServer alone = severable.awaitLeader();

            severable.cutOff(alone);

            EtcdServer next = await().atMost(Duration.ofSeconds(30))
                    .until(
                            severable::leader,
                            leader -> leader.filter(it -> it != alone).isPresent())
                    .orElseThrow();
            assertThat(alone.probe().isHealthy()).isFalse();
            next.probe().put("key", "value");

            severable.reunite();

            alone.awaitHealthy();
            assertThat(alone.probe().keys("")).containsExactly("key");
        }
    }

    @Test
    void membersWithoutProxiesCannotBeCutOff() {
        assertThatIllegalStateException().isThrownBy(() -> cluster.cutOff(cluster.member(0)));
    }
}
