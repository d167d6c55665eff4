package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.redis.script.LuaScript;
import io.distlock.redis.script.RedisKeys;
import io.distlock.redis.script.RedisScripts;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the scripts of the second phase and of restorations refuse, and what they leave. */
class RedlockScriptsTests {

    private static final String LOCK = "lock:{orders}";
    private static final String READERS = "lock:{orders}:readers";
    private static final String COUNTER = "lock:fence";
    private static final String MISSING = "NOSCRIPT This node has no fencing counter";
    private static final RedisScripts.Redlock SCRIPTS =
            RedisScripts.Redlock.with(Optional.empty(), new RedisKeys("lock", 0), List.of(0, 0, 0));

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    @BeforeEach
    void count(RedisProbe probe) {
        probe.command("SET", COUNTER, "6");
    }

    // --- raise ---

    @Test
    void theTokenOfAnExclusiveVoteIsRaisedAndKeepsItsTime(RedisProbe probe) {
        probe.command("SET", LOCK, "me.0:7", "PX", "60000");
        assertThat(raise(probe, "exclusive", "me.0:7", "me.0", "9")).isOne();
        assertThat(probe.get(LOCK)).contains("me.0:9");
        assertThat(probe.ttlMillis(LOCK).orElseThrow()).isBetween(50_000L, 60_000L);
        assertThat(counter(probe)).isEqualTo("9");
        assertThat(raise(probe, "exclusive", "me.0:7", "me.0", "9"))
                .as("told again")
                .isOne();
    }

    /** Owned without a break since then, or not at all. */
    @ParameterizedTest
    @ValueSource(strings = {"me.0:8", "me.01:7", "other.0:7", "kept:7"})
    void aProposalThatIsGoneIsNotRaised(String standing, RedisProbe probe) {
        probe.command("SET", LOCK, standing);
        probe.command("SET", COUNTER, "8");
        assertThat(raise(probe, "exclusive", "me.0:7", "me.0", "9")).isZero();
        assertThat(probe.get(LOCK)).contains(standing);
        assertThat(counter(probe)).isEqualTo("8");
        probe.command("DEL", LOCK);
        assertThat(raise(probe, "exclusive", "me.0:7", "me.0", "9")).isZero();
        assertThat(probe.get(LOCK)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"me.0:8", "me.01:7", "other.0:7"})
    void aReadersProposalThatIsGoneIsNotRaised(String standing, RedisProbe probe) {
        probe.command("ZADD", READERS, future(probe), standing);
        assertThat(raise(probe, "shared", "me.0:7", "me.0", "9")).isZero();
        assertThat(readers(probe)).containsExactly(standing);
    }

    @Test
    void aCounterThatIsLargerStaysSo(RedisProbe probe) {
        probe.command("SET", LOCK, "me.0:7", "PX", "60000");
        probe.command("SET", COUNTER, "12");
        assertThat(raise(probe, "exclusive", "me.0:7", "me.0", "9")).isOne();
        assertThat(counter(probe)).isEqualTo("12");
    }

    /** An empty set is gone, and its time to live with it. */
    @Test
    void aLoneReaderWhoseTokenIsRaisedKeepsItsTime(RedisProbe probe) {
        probe.command("ZADD", READERS, future(probe), "me.0:7");
        probe.command("PEXPIRE", READERS, "60000");
        assertThat(raise(probe, "shared", "me.0:7", "me.0", "9")).isOne();
        assertThat(readers(probe)).containsExactly("me.0:9");
        assertThat(probe.ttlMillis(READERS).orElseThrow()).isBetween(50_000L, 60_000L);
        assertThat(raise(probe, "shared", "me.0:7", "me.0", "9"))
                .as("told again")
                .isOne();
    }

    /** A restoration and an extension may come before a vote that was delayed. */
    @Test
    void aReaderWhoseLateVoteIsRaisedKeepsTheTimeItWasExtendedTo(RedisProbe probe) {
        String later = future(probe) + "0";
        probe.command("ZADD", READERS, future(probe), "me.0:7", later, "me.0:9");
        assertThat(raise(probe, "shared", "me.0:7", "me.0", "9")).isOne();
        assertThat(readers(probe)).containsExactly("me.0:9");
        assertThat(probe.command("ZSCORE", READERS, "me.0:9").text()).isEqualTo(later);
    }

    /** They asked at the same time. */
    @ParameterizedTest
    @CsvSource({"600000, 1000", "1000, 600000"})
    void ofTwoReadersWithOneTokenTheLongerMinimumHoldTimeCounts(String first, String second, RedisProbe probe) {
        probe.command("ZADD", READERS, future(probe), "me.0:7", future(probe), "other.0:7");
        run(probe, SCRIPTS.node().releaseShared(), List.of(READERS), "me.0", "", first, "");
        run(probe, SCRIPTS.node().releaseShared(), List.of(READERS), "other.0", "", second, "");
        assertThat(readers(probe)).containsExactly("kept:7");
        assertThat(probe.command("ZSCORE", READERS, "kept:7").text()).isGreaterThan(future(probe));
        assertThat(probe.ttlMillis(READERS).orElseThrow()).isBetween(500_000L, 600_000L);
    }

    // --- restore ---

    @ParameterizedTest
    @ValueSource(strings = {"other.0:7", "me.01:7", "kept:9", "a canonical client's"})
    void aLockIsNotRestoredOverAnothers(String standing, RedisProbe probe) {
        probe.command("SET", LOCK, standing, "PX", "60000");
        assertThat(restore(probe, "exclusive", "me.0", "9")).isZero();
        assertThat(restore(probe, "shared", "me.0", "9")).isZero();
        assertThat(probe.get(LOCK)).contains(standing);
        assertThat(probe.keys()).containsExactlyInAnyOrder(LOCK, COUNTER);
    }

    @Test
    void aLockIsNotRestoredOverReaders(RedisProbe probe) {
        probe.command("ZADD", READERS, future(probe), "other.0:7");
        assertThat(restore(probe, "exclusive", "me.0", "9")).isZero();
        assertThat(probe.get(LOCK)).isEmpty();
    }

    @Test
    void aLockIsRestoredOverReadersThatHaveExpired(RedisProbe probe) {
        probe.command("ZADD", READERS, "1000", "other.0:7");
        assertThat(restore(probe, "exclusive", "me.0", "9")).isOne();
        assertThat(probe.get(LOCK)).contains("me.0:9");
    }

    @Test
    void aLockIsRestoredUnderItsTokenAndNeverShortened(RedisProbe probe) {
        probe.command("SET", LOCK, "me.0:7", "PX", "300000");
        assertThat(restore(probe, "exclusive", "me.0", "9")).isOne();
        assertThat(probe.get(LOCK)).contains("me.0:9");
        assertThat(probe.ttlMillis(LOCK).orElseThrow()).isGreaterThan(250_000);
    }

    @Test
    void aReaderIsRestoredUnderItsTokenBesideOthers(RedisProbe probe) {
        probe.command("ZADD", READERS, future(probe), "me.0:7", future(probe), "me.01:7", "1", "dead.0:3");
        assertThat(restore(probe, "shared", "me.0", "9")).isOne();
        assertThat(readers(probe)).contains("me.0:9", "me.01:7").doesNotContain("me.0:7");
    }

    @Test
    void aReaderThatIsRestoredLeavesTheSetNoShorterAndNotForEver(RedisProbe probe) {
        assertThat(restore(probe, "shared", "me.0", "9")).isOne();
        assertThat(probe.ttlMillis(READERS).orElseThrow()).isBetween(20_000L, 30_000L);
        probe.command("ZADD", READERS, future(probe), "other.0:5");
        assertThat(restore(probe, "shared", "me.0", "9")).as("restored again").isOne();
        assertThat(probe.ttlMillis(READERS).orElseThrow()).isBetween(50_000L, 60_000L);
    }

    @Test
    void aReaderThatIsRestoredIsNeverShortened(RedisProbe probe) {
        String later = future(probe);
        probe.command("ZADD", READERS, later, "me.0:7");
        assertThat(restore(probe, "shared", "me.0", "9")).isOne();
        assertThat(probe.command("ZSCORE", READERS, "me.0:9").text()).isEqualTo(later);
    }

    @Test
    void eachLockOfABatchIsRestoredUnderItsOwnTokenAndForItsOwnTime(RedisProbe probe) {
        List<String> keys = List.of(LOCK, READERS, LOCK + "2", READERS + "2");
        run(probe, SCRIPTS.restore(), keys, "exclusive", "me.0", "9", "30000", "exclusive", "me.1", "11", "90000");
        assertThat(probe.get(LOCK)).contains("me.0:9");
        assertThat(probe.get(LOCK + "2")).contains("me.1:11");
        assertThat(probe.ttlMillis(LOCK).orElseThrow()).isLessThanOrEqualTo(30_000);
        assertThat(probe.ttlMillis(LOCK + "2").orElseThrow()).isBetween(80_000L, 90_000L);
    }

    /** A majority has raised its own before the grant: others may stay behind, as the model of the tokens shows. */
    @Test
    void countersAreLeftAlone(RedisProbe probe) {
        probe.command("SET", COUNTER, "3");
        assertThat(restore(probe, "exclusive", "me.0", "9")).isOne();
        assertThat(counter(probe)).isEqualTo("3");
    }

    // --- proposals ---

    @Test
    void aNodeProposesOneMoreThanBefore(RedisProbe probe) {
        for (LuaScript script :
                List.of(SCRIPTS.node().acquireExclusive(), SCRIPTS.node().acquireShared())) {
            probe.command("DEL", LOCK, READERS);
            probe.command("SET", COUNTER, "12");
            List<String> keys = List.of(LOCK, READERS, LOCK + ":waiting", COUNTER);
            RedisReply reply = run(probe, script, keys, "me.0", "60000", "0", "me");
            assertThat(reply.items().get(1).number()).isEqualTo(13);
            assertThat(counter(probe)).isEqualTo("13");
        }
    }

    /** It may have lost the rest with it, and does not begin with one by itself. */
    @Test
    void aNodeWithoutItsCounterNeitherProposesNorConfirms(RedisProbe probe) {
        probe.command("DEL", COUNTER);
        List<String> keys = List.of(LOCK, READERS, LOCK + ":waiting", COUNTER);
        for (LuaScript script :
                List.of(SCRIPTS.node().acquireExclusive(), SCRIPTS.node().acquireShared())) {
            assertThatThrownBy(() -> run(probe, script, keys, "me.0", "60000", "0", "me"))
                    .hasMessageContaining(MISSING);
        }
        assertThat(probe.keys()).isEmpty();
        probe.command("SET", LOCK, "me.0:7", "PX", "60000");
        assertThatThrownBy(() -> raise(probe, "exclusive", "me.0:7", "me.0", "9"))
                .hasMessageContaining(MISSING);
        assertThat(probe.get(LOCK)).contains("me.0:7");
        assertThat(probe.keys()).containsExactly(LOCK);
    }

    private static long raise(RedisProbe probe, String mode, String proposed, String owner, String token) {
        return run(probe, SCRIPTS.raise(), List.of(LOCK, READERS, COUNTER), mode, proposed, owner, token)
                .number();
    }

    private static long restore(RedisProbe probe, String mode, String owner, String token) {
        return run(probe, SCRIPTS.restore(), List.of(LOCK, READERS), mode, owner, token, "30000")
                .items()
                .get(0)
                .number();
    }

    private static RedisReply run(RedisProbe probe, LuaScript script, List<String> keys, String... arguments) {
        List<String> command = new ArrayList<>(List.of("EVAL", script.text(), Integer.toString(keys.size())));
        command.addAll(keys);
        command.addAll(List.of(arguments));
        return probe.command(command.toArray(String[]::new));
    }

    /** In a minute. */
    private static String future(RedisProbe probe) {
        return Long.toString(Long.parseLong(probe.command("TIME").texts().get(0)) * 1_000 + 60_000);
    }

    private static List<String> readers(RedisProbe probe) {
        return probe.command("ZRANGE", READERS, "0", "-1").texts();
    }

    private static String counter(RedisProbe probe) {
        return probe.get(COUNTER).orElseThrow();
    }
}
