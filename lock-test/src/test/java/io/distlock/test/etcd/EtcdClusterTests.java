package io.distlock.test.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EtcdClusterTests {

    @RegisterExtension
    static final EtcdClusterExtension etcd = EtcdClusterExtension.create();

    @Test
    void anotherLeaderFollowsOneThatIsKilled(EtcdCluster cluster) {
        EtcdServer killed = cluster.awaitLeader();

        killed.kill();

        assertThat(cluster.awaitLeader()).isNotSameAs(killed);
    }
}
