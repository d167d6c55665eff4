package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZooKeeperLockOptionsTests {

    private static final ZooKeeperLockOptions USUAL = ZooKeeperLockOptions.defaults();

    @ParameterizedTest
    @ValueSource(
            strings = {"", "/lock", "lock/", "app//locks", ".", "app/..", "a b", "größe", "zookeeper", "zookeeper/locks"
            })
    void aKeyPrefixThatIsNoPathForLocksIsRefused(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> USUAL.withKeyPrefix(prefix))
                .withMessageContaining("key prefix \"" + prefix + "\" is not a path of ZooKeeper");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock", "app/locks", ".app/my_locks-2.0~x", "zookeepers", "app/zookeeper"})
    void aKeyPrefixMayBeAnyOtherPathOfWords(String prefix) {
        assertThat(USUAL.withKeyPrefix(prefix).keyPrefix()).isEqualTo(prefix);
    }

    @Test
    void eachTimeHasItsOwnRange() {
        Map<String, Function<Duration, ZooKeeperLockOptions>> times = Map.of(
                "call timeout", USUAL::withCallTimeout,
                "connect timeout", USUAL::withConnectTimeout,
                "tick time", USUAL::withTickTime,
                "longest session", USUAL::withLongestSession);
        Map<String, Duration> least = Map.of(
                "call timeout", Duration.ofMillis(10),
                "connect timeout", Duration.ofMillis(100),
                "tick time", Duration.ofMillis(10),
                "longest session", Duration.ofMillis(100));
        times.forEach((what, set) -> {
            Duration most = what.equals("longest session") ? Duration.ofHours(25) : Duration.ofSeconds(60);
            assertRefused(what, set, least.get(what).minusMillis(1));
            assertRefused(what, set, most.plusMillis(1));
            assertThat(set.apply(most)).isNotEqualTo(USUAL);
            // A tick of 10 ms gives a session of 200 ms, which is allowed.
            assertThat(set.apply(least.get(what))).isNotEqualTo(USUAL);
        });
    }

    private static void assertRefused(String what, Function<Duration, ZooKeeperLockOptions> set, Duration time) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> set.apply(time))
                .withMessageContaining(what + " ")
                .withMessageContaining("is out of range");
    }

    @Test
    void eachTimeIsThatWhichWasSet() {
        Duration second = Duration.ofSeconds(1);
        assertThat(USUAL.withCallTimeout(second))
                .isEqualTo(new ZooKeeperLockOptions(
                        USUAL.keyPrefix(),
                        USUAL.layout(),
                        second,
                        USUAL.connectTimeout(),
                        USUAL.tickTime(),
                        USUAL.longestSession()));
        assertThat(USUAL.withConnectTimeout(second))
                .isEqualTo(new ZooKeeperLockOptions(
                        USUAL.keyPrefix(),
                        USUAL.layout(),
                        USUAL.callTimeout(),
                        second,
                        USUAL.tickTime(),
                        USUAL.longestSession()));
    }

    /** As the servers do it. */
    @Test
    void theLongestSessionIsTwentyTicksUnlessItIsSet() {
        assertThat(USUAL.longestSession()).isEqualTo(USUAL.tickTime().multipliedBy(20));
        ZooKeeperLockOptions slow = USUAL.withTickTime(Duration.ofSeconds(3));
        assertThat(slow.longestSession()).isEqualTo(Duration.ofMinutes(1));
        assertThat(slow.withLongestSession(Duration.ofMinutes(2)).tickTime()).isEqualTo(Duration.ofSeconds(3));
    }

    /** A confirmation counts only if more than a tick lies between it and the one before. */
    @Test
    void moreThanATickLiesBetweenTwoConfirmations() {
        for (int seconds : new int[] {0, 1, 10, 30, 600}) {
            Duration timeToLive = Duration.ofSeconds(seconds);
            assertThat(USUAL.betweenConfirmations(timeToLive)).isGreaterThanOrEqualTo(Duration.ofSeconds(3));
        }
        assertThat(USUAL.betweenConfirmations(Duration.ofSeconds(600))).isEqualTo(Duration.ofSeconds(60));
    }
}
