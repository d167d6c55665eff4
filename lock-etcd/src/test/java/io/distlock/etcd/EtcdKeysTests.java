package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.etcd.jetcd.ByteSequence;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class EtcdKeysTests {

    private final EtcdKeys keys = new EtcdKeys("app/lock");

    private static String text(ByteSequence key) {
        return key.toString(StandardCharsets.UTF_8);
    }

    private static boolean isIn(ByteSequence key, ByteSequence first, ByteSequence end) {
        return text(key).compareTo(text(first)) >= 0 && text(key).compareTo(text(end)) < 0;
    }

    @Test
    void aPlaceIsNamedAfterItsLeaseAndItsOwner() {
        assertThat(text(keys.place(LockKey.of("a", "b"), LockMode.EXCLUSIVE, 0x1f, 0, "owner-1")))
                .isEqualTo("app/lock/a:b/000000000000001f-owner-1");
        assertThat(text(keys.place(LockKey.of("a/b"), LockMode.SHARED, 0x1f, 0, "owner-1")))
                .isEqualTo("app/lock/a%2Fb/shared-000000000000001f-owner-1");
    }

    @Test
    void aQueueHoldsItsOwnPlacesAndNoOthers() {
        LockKey a = LockKey.of("a");
        for (LockMode mode : LockMode.values()) {
            assertThat(isIn(
                            keys.place(LockKey.of("a"), mode, -1, 0, "o"),
                            keys.first(a),
                            keys.end(a, LockMode.EXCLUSIVE)))
                    .isTrue();
            for (LockKey other :
                    new LockKey[] {LockKey.of("a/b"), LockKey.of("a", "b"), LockKey.of("a0"), LockKey.of("A")}) {
                assertThat(isIn(keys.place(other, mode, -1, 0, "o"), keys.first(a), keys.end(a, LockMode.EXCLUSIVE)))
                        .isFalse();
            }
        }
        assertThat(isIn(keys.session(-1), keys.first(a), keys.end(a, LockMode.EXCLUSIVE)))
                .isFalse();
    }

    @Test
    void sharedOnesWaitForExclusiveOnesOnly() {
        LockKey a = LockKey.of("a");
        ByteSequence exclusive = keys.place(LockKey.of("a"), LockMode.EXCLUSIVE, -1, 0, "o");
        ByteSequence shared = keys.place(LockKey.of("a"), LockMode.SHARED, 0, 0, "o");
        assertThat(isIn(exclusive, keys.first(a), keys.end(a, LockMode.SHARED))).isTrue();
        assertThat(isIn(shared, keys.first(a), keys.end(a, LockMode.SHARED))).isFalse();
        assertThat(isIn(shared, keys.first(a), keys.end(a, LockMode.EXCLUSIVE))).isTrue();
    }

    @Test
    void aPlaceTellsWhoHasIt() {
        ByteSequence place = keys.place(LockKey.of("a"), LockMode.SHARED, 7, 0, "0123-4z");
        assertThat(EtcdKeys.mode(place)).isEqualTo(LockMode.SHARED);
        assertThat(EtcdKeys.owner(place)).isEqualTo("0123-4z");
    }

    @Test
    void noPlaceOfAnAcquisitionHasTheKeyOfAnother() {
        ByteSequence third = keys.place(LockKey.of("a"), LockMode.EXCLUSIVE, 0x1f, 2, "owner-1");
        assertThat(text(third)).isEqualTo("app/lock/a/000000000000001f.2-owner-1");
        assertThat(EtcdKeys.mode(third)).isEqualTo(LockMode.EXCLUSIVE);
        assertThat(EtcdKeys.owner(third)).isEqualTo("owner-1");
        LockKey a = LockKey.of("a");
        assertThat(isIn(third, keys.first(a), keys.end(a, LockMode.SHARED))).isTrue();
    }

    @Test
    void aPlaceTellsWhichSessionItHangsOn() {
        for (LockMode mode : LockMode.values()) {
            for (int attempt = 0; attempt < 2; attempt++) {
                ByteSequence place = keys.place(LockKey.of("a"), mode, 0x1f, attempt, "owner-1");
                assertThat(keys.sessionOf(place)).isEqualTo(keys.session(0x1f));
            }
        }
        assertThat(text(keys.session(0x1f))).isEqualTo("app/lock//000000000000001f");
        assertThat(text(keys.sessionOf(ByteSequence.from("app/lock/a/odd", StandardCharsets.UTF_8))))
                .isEqualTo("app/lock//odd");
    }
}
