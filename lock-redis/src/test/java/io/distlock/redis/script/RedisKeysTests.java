package io.distlock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.lettuce.core.cluster.SlotHash;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RedisKeysTests {

    private final RedisKeys keys = new RedisKeys("lock", 0);

    @Test
    void namesAreReadable() {
        RedisKeys.Names names = keys.of(LockKey.of("orders", "42"));
        assertThat(names.lock()).isEqualTo("lock:{orders:42}");
        assertThat(names.readers()).isEqualTo("lock:{orders:42}:readers");
        assertThat(names.waiting()).isEqualTo("lock:{orders:42}:waiting");
        assertThat(names.channel()).isEqualTo("lock:{orders:42}:released");
        assertThat(names.fence()).matches("lock:fence:\\{[0-9a-z]{1,4}}");
    }

    @Test
    void allNamesOfALockShareItsSlot() {
        for (String name : List.of("a", "a/b", "{x}", "x y", "ä", "𝄞", "a:b", "}{", "orders")) {
            RedisKeys.Names names = keys.of(LockKey.of(name));
            assertThat(List.of(names.lock(), names.readers(), names.waiting(), names.channel(), names.fence()))
                    .as(name)
                    .allMatch(each -> SlotHash.getSlot(each) == names.slot());
        }
    }

    @Test
    void locksThatLookAlikeHaveNamesOfTheirOwn() {
        List<LockKey> alike = List.of(
                LockKey.of("a"),
                LockKey.of("a/b"),
                LockKey.of("a", "b"),
                LockKey.of("a:b"),
                LockKey.of("a%3Ab"),
                LockKey.of("x"),
                LockKey.of("{x}"),
                LockKey.of("x", "readers"),
                LockKey.of("x:readers"));
        Set<String> names = new HashSet<>();
        for (LockKey key : alike) {
            RedisKeys.Names of = keys.of(key);
            names.addAll(List.of(of.lock(), of.readers(), of.waiting(), of.channel()));
        }
        assertThat(names).hasSize(4 * alike.size());
    }

    @Test
    void everySlotHasAFenceTagThatFallsIntoIt() {
        Set<String> tags = new HashSet<>();
        for (int slot = 0; slot < SlotHash.SLOT_COUNT; slot++) {
            assertThat(SlotHash.getSlot("lock:fence:{" + RedisKeys.FenceTags.of(slot) + '}'))
                    .isEqualTo(slot);
            tags.add(RedisKeys.FenceTags.of(slot));
        }
        assertThat(tags).hasSize(SlotHash.SLOT_COUNT);
    }

    /** Counters under other names would start again from the clock, below what they had reached if that was ahead. */
    @Test
    void fenceTagsStayAsTheyAre() {
        assertThat(RedisKeys.FenceTags.of(SlotHash.getSlot("orders:42"))).isEqualTo("89x");
        assertThat(RedisKeys.FenceTags.of(0)).isEqualTo("1bz");
        assertThat(RedisKeys.FenceTags.of(16_383)).isEqualTo("hia");
    }

    @Test
    void databasesDoNotHearOfEachOthersReleases() {
        LockKey key = LockKey.of("orders");
        assertThat(new RedisKeys("lock", 3).of(key).channel())
                .isEqualTo("lock:{orders}:released:3")
                .isNotEqualTo(keys.of(key).channel());
    }
}
