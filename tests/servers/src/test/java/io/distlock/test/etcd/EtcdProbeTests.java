package io.distlock.test.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EtcdProbeTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private EtcdProbe probe;

    @BeforeEach
    void takesTheProbe(EtcdProbe parameter) {
        probe = parameter;
    }

    @Test
    void readsWhatItHasPut() {
        long lease = probe.grant(Duration.ofSeconds(60));
        long created = probe.put("key", "first");
        long changed = probe.put("key", "sécond", lease);

        assertThat(probe.get("key")).contains(new EtcdEntry("key", "sécond", created, changed, 2, lease));
        assertThat(probe.revision()).isEqualTo(changed);
    }

    @Test
    void findsNoKeyWhereThereIsNone() {
        assertThat(probe.get("key")).isEmpty();
        assertThat(probe.entries("key")).isEmpty();
    }

    @Test
    void listsTheOldestFirst() {
        probe.put("a/3", "");
        probe.put("a/1", "");
        probe.put("a/2", "");

        assertThat(probe.keys("a/")).containsExactly("a/3", "a/1", "a/2");
    }

    @Test
    void aPrefixIsExact() {
        probe.put("a", "");
        probe.put("a.", "");
        probe.put("a/", "");
        probe.put("a/ÿ", "");
        probe.put("a0", "");

        assertThat(probe.keys("a/")).containsExactly("a/", "a/ÿ");
        assertThat(probe.keys("a/ÿ")).containsExactly("a/ÿ");
        assertThat(probe.keys("")).hasSize(5);
    }

    @Test
    void saysWhetherThereWasAKeyToDelete() {
        probe.put("key", "value");

        assertThat(probe.delete("key")).isTrue();
        assertThat(probe.delete("key")).isFalse();
    }

    @Test
    void deletesAllThatBeginSo() {
        probe.put("a/1", "");
        probe.put("a/2", "");
        probe.put("b", "");

        assertThat(probe.deleteAll("a/")).isEqualTo(2);
        assertThat(probe.keys("")).containsExactly("b");
    }

    @Test
    void aLeaseKnowsItsKeys() {
        long lease = probe.grant(Duration.ofSeconds(60));
        probe.put("key", "value", lease);

        assertThat(probe.leases()).containsExactly(lease);
        assertThat(probe.lease(lease)).hasValueSatisfying(it -> {
            assertThat(it.keys()).containsExactly("key");
            assertThat(it.granted()).isEqualTo(Duration.ofSeconds(60));
            assertThat(it.remaining()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(60));
        });
    }

    @Test
    void aLeaseTakesItsKeysAlong() {
        long lease = probe.grant(Duration.ofSeconds(60));
        probe.put("key", "value", lease);

        probe.revoke(lease);

        assertThat(probe.leases()).isEmpty();
        assertThat(probe.lease(lease)).isEmpty();
        assertThat(probe.keys("")).isEmpty();
    }

    @Test
    void onlyALeaseThatIsThereIsKeptAlive() {
        long lease = probe.grant(Duration.ofSeconds(60));

        assertThat(probe.keepAlive(lease)).isEqualTo(Duration.ofSeconds(60));
        assertThat(probe.keepAlive(lease + 1)).isZero();
    }

    @Test
    void compactsOnce() {
        long revision = probe.put("key", "value");
        probe.compact(revision);

        assertThatThrownBy(() -> probe.compact(revision))
                .isInstanceOfSatisfying(
                        EtcdErrorException.class, e -> assertThat(e.code()).isEqualTo(11))
                .hasMessageContaining("has been compacted");
    }

    @Test
    void countsTheRpcsOfOthers() {
        EtcdProbe other = EtcdProbe.of(etcd.server().endpoint());
        EtcdRpcs before = probe.rpcs();

        other.put("key", "value");
        other.put("key", "value");
        other.keys("");
        assertThatThrownBy(() -> other.compact(Long.MAX_VALUE)).isInstanceOf(EtcdErrorException.class);

        EtcdRpcs since = probe.rpcs().since(before);
        assertThat(since.started()).containsOnlyKeys("Put", "Range", "Compact");
        assertThat(since.started("Put")).isEqualTo(2);
        assertThat(since.received("Range")).isEqualTo(1);
        assertThat(since.sent("Compact")).isZero();
        assertThat(since.total()).isEqualTo(4);
    }

    @Test
    void doesNotCountItsOwnRpcs() {
        EtcdRpcs before = probe.rpcs();

        long lease = probe.grant(Duration.ofSeconds(60));
        probe.keepAlive(lease);
        probe.put("key", "value", lease);
        probe.keys("");
        probe.clear();
        probe.status();
        assertThatThrownBy(() -> probe.compact(Long.MAX_VALUE)).isInstanceOf(EtcdErrorException.class);

        assertThat(probe.rpcs().since(before)).isEqualTo(EtcdRpcs.none());
    }

    @Test
    void aCallThatFoundNoServerIsNotCounted() {
        EtcdProbe lasting = EtcdProbe.of(etcd.server().endpoint());
        etcd.server().kill();
        assertThatThrownBy(() -> lasting.put("key", "value")).hasMessageContaining("no reply");

        etcd.server().restart();

        assertThat(lasting.rpcs().started("Put")).isZero();
    }

    @Test
    void countsWatches() throws Exception {
        EtcdWatches none = probe.watches();

        GatewayWatch watch = GatewayWatch.open(etcd.server().endpoint());

        assertThat(probe.watches()).isEqualTo(new EtcdWatches(none.streams() + 1, none.watchers() + 1, 0));
        watch.close();
        await().untilAsserted(() -> assertThat(probe.watches()).isEqualTo(none));
    }

    @Test
    void countsWhatAWatchIsTold() throws Exception {
        try (GatewayWatch watch = GatewayWatch.open(etcd.server().endpoint())) {
            EtcdRpcs before = probe.rpcs();

            probe.put("key", "value");
            watch.await("\"value\":\"dmFsdWU=\"");

            assertThat(probe.rpcs().since(before).sent("Watch")).isEqualTo(1);
        }
    }

    @Test
    void asksForTheStatus() {
        long revision = probe.put("key", "value");

        EtcdStatus status = probe.status();

        assertThat(status.version()).matches("\\d+\\.\\d+\\.\\d+.*");
        assertThat(status.isLeader()).isTrue();
        assertThat(status.revision()).isEqualTo(revision);
        assertThat(status.term()).isPositive();
        assertThat(status.dbSize()).isPositive();
    }

    @Test
    void readsAnyMetric() {
        assertThat(probe.metric("etcd_server_has_leader")).isEqualTo(1);
        assertThat(probe.metric("no_such_metric")).isZero();
    }
}
