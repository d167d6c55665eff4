package io.distlock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisProbe;
import io.distlock.test.redis.RedisReply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each script does to keys that stand in each way that matters, and what it leaves alone. */
class RedisScriptsTests {

    private static final String LOCK = "lock:{orders}";
    private static final String READERS = "lock:{orders}:readers";
    private static final String WAITING = "lock:{orders}:waiting";
    private static final String COUNTER = "lock:fence";
    private static final String CHANNEL = "lock:{orders}:released";
    private static final RedisScripts SCRIPTS = RedisScripts.single();

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    // --- acquire-exclusive ---

    @Test
    void aWritersRepeatedTryGetsItsGrantAgainAndLengthensItOnly(RedisProbe probe) {
        probe.command("SET", LOCK, "me:7", "PX", "300000");
        assertThat(numbers(write(probe, "me", "60000", "0"))).containsExactly(1L, 7L);
        assertThat(ttl(probe, LOCK)).isGreaterThan(250_000);
        assertThat(numbers(write(probe, "me", "600000", "0"))).containsExactly(1L, 7L);
        assertThat(ttl(probe, LOCK)).isGreaterThan(550_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"me2:7", "other:7", "kept:7", "a canonical client's"})
    void aWriterIsRefusedByAnotherOwnerAndHearsForHowLong(String standing, RedisProbe probe) {
        probe.command("SET", LOCK, standing, "PX", "60000");
        List<Long> reply = numbers(write(probe, "me", "30000", "0"));
        assertThat(reply.get(0)).isZero();
        assertThat(reply.get(1)).isBetween(50_000L, 60_000L);
        assertThat(reply.get(2)).isPositive();
        assertThat(probe.get(LOCK)).contains(standing);
        probe.command("PERSIST", LOCK);
        assertThat(numbers(write(probe, "me", "30000", "0")).get(1))
                .as("for ever")
                .isEqualTo(-1);
    }

    /** By the number a contender on several nodes tells whether one owner has a majority. */
    @Test
    void theNumberOfAnOwnerIsItsOwnWhateverItsTokenAndZeroForReaders(RedisProbe probe) {
        List<Long> seen = new ArrayList<>();
        for (String standing : List.of("other:7", "other:9", "another:7")) {
            probe.command("SET", LOCK, standing);
            seen.add(numbers(write(probe, "me", "30000", "0")).get(2));
            assertThat(numbers(read(probe, "me", "30000", "0")).get(2)).isEqualTo(seen.get(seen.size() - 1));
        }
        assertThat(seen.get(0)).isEqualTo(seen.get(1)).isNotEqualTo(seen.get(2));
        probe.command("DEL", LOCK);
        probe.command("ZADD", READERS, in(probe, 60_000), "reader:3");
        assertThat(numbers(write(probe, "me", "30000", "0")).get(2)).isZero();
    }

    @Test
    void aWriterWaitsForTheLastReaderAndOnlyForThoseThatHaveNotExpired(RedisProbe probe) {
        probe.command("ZADD", READERS, "1000", "dead:1", in(probe, 20_000), "brief:2", in(probe, 60_000), "long:3");
        assertThat(numbers(write(probe, "me", "30000", "0")).get(1)).isBetween(50_000L, 60_000L);
        assertThat(readers(probe)).containsExactly("brief:2", "long:3");
        assertThat(probe.get(LOCK)).isEmpty();
        probe.command("ZREM", READERS, "brief:2", "long:3");
        probe.command("ZADD", READERS, "1000", "dead:1");
        assertThat(numbers(write(probe, "me", "30000", "0")).get(0)).isOne();
    }

    // --- a writer's claim ---

    @Test
    void aWriterThatWaitsForReadersClaimsTheLockUntilJustAfterTheLastOfThem(RedisProbe probe) {
        probe.command("ZADD", READERS, in(probe, 10_000), "reader:3");
        write(probe, "me", "30000", "60000");
        assertThat(probe.get(WAITING)).contains("me");
        assertThat(ttl(probe, WAITING)).isBetween(10_001L, 11_000L);
        probe.command("DEL", WAITING);
        write(probe, "me", "30000", "4000");
        assertThat(ttl(probe, WAITING)).as("for as long as it waits").isBetween(1_000L, 4_000L);
    }

    @Test
    void aWriterThatDoesNotWaitOrIsKeptOutByAWriterClaimsNothing(RedisProbe probe) {
        probe.command("ZADD", READERS, in(probe, 10_000), "reader:3");
        write(probe, "me", "30000", "0");
        probe.command("DEL", READERS);
        probe.command("SET", LOCK, "other:7", "PX", "60000");
        write(probe, "me", "30000", "60000");
        assertThat(probe.get(WAITING)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"5000, me", "60000, other"})
    void ofSeveralClaimsTheLongestStands(long others, String stands, RedisProbe probe) {
        probe.command("ZADD", READERS, in(probe, 30_000), "reader:3");
        probe.command("SET", WAITING, "other", "PX", Long.toString(others));
        write(probe, "me", "30000", "60000");
        assertThat(probe.get(WAITING)).contains(stands);
        assertThat(ttl(probe, WAITING)).isGreaterThan(25_000);
    }

    /** Though it waits for less time now than when it made it. */
    @Test
    void aWritersOwnClaimIsRenewedEvenToAShorterTime(RedisProbe probe) {
        probe.command("ZADD", READERS, in(probe, 30_000), "reader:3");
        probe.command("SET", WAITING, "me", "PX", "60000");
        write(probe, "me", "30000", "5000");
        assertThat(ttl(probe, WAITING)).isLessThanOrEqualTo(5_000);
    }

    @Test
    void aWritersClaimEndsWithItsOwnGrantAndNotWithAnothers(RedisProbe probe) {
        probe.command("SET", WAITING, "other", "PX", "60000");
        assertThat(numbers(write(probe, "me", "30000", "0")).get(0)).isOne();
        assertThat(probe.get(WAITING)).contains("other");
        probe.command("DEL", LOCK);
        assertThat(numbers(write(probe, "other", "30000", "0")).get(0)).isOne();
        assertThat(probe.get(WAITING)).isEmpty();
    }

    // --- acquire-shared ---

    @Test
    void aReaderIsKeptOutByAWriterAndByOneThatWaitsEachForItsTime(RedisProbe probe) {
        probe.command("SET", WAITING, "writer", "PX", "9000");
        assertThat(numbers(read(probe, "me", "30000", "0")).get(1)).isBetween(1L, 9_000L);
        probe.command("SET", LOCK, "writer:7", "PX", "60000");
        assertThat(numbers(read(probe, "me", "30000", "0")).get(1)).isBetween(50_000L, 60_000L);
        probe.command("SET", LOCK, "a canonical client's");
        assertThat(numbers(read(probe, "me", "30000", "1"))).startsWith(0L, -1L);
        assertThat(readers(probe)).isEmpty();
    }

    @Test
    void aReadersRepeatedTryGetsItsGrantAgainThoughAWriterWaitsAndLengthensItOnly(RedisProbe probe) {
        String expiry = in(probe, 300_000);
        probe.command("ZADD", READERS, expiry, "me:7", in(probe, 5_000), "me2:5");
        probe.command("SET", WAITING, "writer", "PX", "60000");
        assertThat(numbers(read(probe, "me", "60000", "1"))).containsExactly(1L, 7L);
        assertThat(probe.command("ZSCORE", READERS, "me:7").text()).isEqualTo(expiry);
        assertThat(ttl(probe, READERS)).isBetween(250_000L, 300_000L);
        assertThat(numbers(read(probe, "me", "600000", "1"))).containsExactly(1L, 7L);
        assertThat(ttl(probe, READERS)).isBetween(550_000L, 600_000L);
        assertThat(readers(probe)).containsExactlyInAnyOrder("me:7", "me2:5");
    }

    @Test
    void aReaderThatHasExpiredDoesNotGetItsGrantAgain(RedisProbe probe) {
        probe.command("ZADD", READERS, "1000", "me:7");
        assertThat(numbers(read(probe, "me", "60000", "1")).get(1)).isGreaterThan(7);
        assertThat(readers(probe)).hasSize(1);
    }

    @Test
    void theSetOfReadersLastsAsLongAsItsLastWhoeverComesLast(RedisProbe probe) {
        read(probe, "long", "60000", "0");
        assertThat(ttl(probe, READERS)).isBetween(50_000L, 60_000L);
        read(probe, "brief", "20000", "0");
        assertThat(ttl(probe, READERS)).isBetween(50_000L, 60_000L);
        read(probe, "longer", "90000", "0");
        assertThat(ttl(probe, READERS)).isBetween(80_000L, 90_000L);
        double score = Double.parseDouble(
                probe.command("ZSCORE", READERS, readers(probe).get(2)).text());
        assertThat(score).isBetween(Double.parseDouble(in(probe, 80_000)), Double.parseDouble(in(probe, 90_000)));
    }

    // --- release-exclusive ---

    @ParameterizedTest
    @ValueSource(strings = {"me2:7", "other:7", "a canonical client's"})
    void aReleaseLeavesWhatIsAnothersAndAnnouncesNothing(String standing, RedisProbe probe) {
        probe.command("SET", LOCK, standing, "PX", "60000");
        probe.command("SET", WAITING, "other", "PX", "60000");
        assertThat(published(probe, () -> assertThat(freed(probe, "0")).isZero()))
                .isFalse();
        assertThat(probe.get(LOCK)).contains(standing);
        assertThat(probe.get(WAITING)).contains("other");
    }

    @Test
    void aReleasedLockIsGoneAndAnnouncedUnlessQuietly(RedisProbe probe) {
        for (String channel : List.of(CHANNEL, "")) {
            probe.command("SET", LOCK, "me:7", "PX", "60000");
            assertThat(published(probe, () -> free(probe, List.of(LOCK, WAITING), "me", channel, "0")))
                    .isEqualTo(!channel.isEmpty());
            assertThat(probe.get(LOCK)).isEmpty();
        }
    }

    @Test
    void aLockThatIsKeptHasAnotherNameAndItsOwnTimeAndIsAnnounced(RedisProbe probe) {
        for (String before : List.of("600000", "1000")) {
            probe.command("SET", LOCK, "me:7", "PX", before);
            assertThat(published(probe, () -> assertThat(freed(probe, "60000")).isOne()))
                    .isTrue();
            assertThat(probe.get(LOCK)).contains("kept:7");
            assertThat(ttl(probe, LOCK)).isBetween(50_000L, 60_000L);
            assertThat(freed(probe, "60000")).as("released again").isZero();
        }
    }

    /** Readers that it kept out may pass now. */
    @Test
    void aClaimThatIsWithdrawnIsAnnounced(RedisProbe probe) {
        probe.command("SET", WAITING, "me", "PX", "60000");
        assertThat(published(probe, () -> assertThat(freed(probe, "0")).isZero()))
                .isTrue();
        assertThat(probe.get(WAITING)).isEmpty();
    }

    // --- release-shared ---

    @Test
    void aReaderIsReleasedByItsTokenOrWithAllThatItsOwnerHas(RedisProbe probe) {
        String later = in(probe, 60_000);
        probe.command("ZADD", READERS, later, "me:7", later, "me:9", later, "me2:7", later, "other:7");
        assertThat(leave(probe, "me", "0", "8")).isZero();
        assertThat(leave(probe, "me", "0", "7")).isOne();
        assertThat(readers(probe)).containsExactlyInAnyOrder("me:9", "me2:7", "other:7");
        probe.command("ZADD", READERS, later, "me:7");
        assertThat(leave(probe, "me", "0", "")).isOne();
        assertThat(readers(probe)).containsExactlyInAnyOrder("me2:7", "other:7");
    }

    @Test
    void aReaderThatHasExpiredIsNotReleased(RedisProbe probe) {
        probe.command("ZADD", READERS, "1000", "me:7", in(probe, 60_000), "other:3");
        assertThat(leave(probe, "me", "60000", "7")).isZero();
        assertThat(readers(probe)).containsExactly("other:3");
    }

    @ParameterizedTest
    @CsvSource({"90000, 20000, 80000, 90000", "20000, 90000, 80000, 90000"})
    void aReaderThatIsKeptLeavesTheSetAsLongAsItsLast(
            String keep, long others, long least, long most, RedisProbe probe) {
        probe.command("ZADD", READERS, in(probe, 5_000), "me:7", in(probe, others), "other:3");
        assertThat(leave(probe, "me", keep, "7")).isOne();
        assertThat(readers(probe)).containsExactlyInAnyOrder("kept:7", "other:3");
        assertThat(ttl(probe, READERS)).isBetween(least, most);
    }

    /** One reader of many matters only to a writer that waits. */
    @Test
    void theLastReaderIsAnnouncedAndAnyWhileAWriterWaits(RedisProbe probe) {
        probe.command("ZADD", READERS, in(probe, 60_000), "a:1", in(probe, 60_000), "b:2", in(probe, 60_000), "c:3");
        assertThat(published(probe, () -> leave(probe, "a", "0", ""))).isFalse();
        probe.command("SET", WAITING, "writer", "PX", "60000");
        assertThat(published(probe, () -> leave(probe, "b", "0", ""))).isTrue();
        probe.command("DEL", WAITING);
        assertThat(published(probe, () -> leave(probe, "c", "0", ""))).isTrue();
    }

    // --- renew ---

    @Test
    void eachLeaseOfABatchIsComparedAndExtendedForItself(RedisProbe probe) {
        probe.command("SET", LOCK, "me:7", "PX", "5000");
        probe.command("SET", LOCK + "2", "me:9", "PX", "600000");
        probe.command("ZADD", READERS, in(probe, 5_000), "me:8", in(probe, 600_000), "other:3", "1000", "dead:2");
        probe.command("SET", LOCK + "3", "me:70", "PX", "5000");
        List<Long> answers = numbers(run(
                probe,
                SCRIPTS.renew(),
                List.of(LOCK, LOCK + "2", READERS, READERS, READERS, LOCK + "3", LOCK + "4"),
                "exclusive",
                "me:7",
                "60000",
                "exclusive",
                "me:9",
                "30000",
                "shared",
                "me:8",
                "90000",
                "shared",
                "other:3",
                "1000",
                "shared",
                "dead:2",
                "90000",
                "exclusive",
                "me:7",
                "60000",
                "exclusive",
                "me:7",
                "60000"));
        assertThat(answers).containsExactly(1L, 1L, 1L, 1L, 0L, 0L, 0L);
        assertThat(ttl(probe, LOCK)).isBetween(50_000L, 60_000L);
        assertThat(ttl(probe, LOCK + "2")).isBetween(550_000L, 600_000L);
        assertThat(ttl(probe, LOCK + "3")).isLessThanOrEqualTo(5_000);
        assertThat(ttl(probe, READERS)).isBetween(550_000L, 600_000L);
        double score =
                Double.parseDouble(probe.command("ZSCORE", READERS, "me:8").text());
        assertThat(score).isBetween(Double.parseDouble(in(probe, 80_000)), Double.parseDouble(in(probe, 90_000)));
        assertThat(readers(probe)).containsExactly("me:8", "other:3");
    }

    // --- inspect ---

    @Test
    void anInspectionNamesReadersThatHaveNotExpiredAndTheTimeThatEachHasLeft(RedisProbe probe) {
        probe.command("ZADD", READERS, "1000", "dead:1", in(probe, 60_000), "me:7");
        List<RedisReply> reply =
                run(probe, SCRIPTS.inspect(), List.of(LOCK, READERS)).items();
        assertThat(reply).hasSize(3);
        assertThat(reply.get(0).text()).isEqualTo("shared");
        assertThat(reply.get(1).text()).isEqualTo("me:7");
        assertThat(reply.get(2).number()).isBetween(50_000L, 60_000L);
        probe.command("ZREM", READERS, "me:7");
        assertThat(run(probe, SCRIPTS.inspect(), List.of(LOCK, READERS)).items())
                .isEmpty();
    }

    // --- tokens ---

    @Test
    void aCounterBeginsWithTheLargestOfItsOwnTheClockAndThatOfOtherNodes(RedisProbe probe) {
        LuaScript start = LuaScript.named("start-counter");
        long micros = Long.parseLong(in(probe, 0)) * 1_000;
        long own = micros + 1_000_000_000;
        probe.command("SET", COUNTER, Long.toString(own));
        run(probe, start, List.of(COUNTER), Long.toString(own - 1));
        assertThat(probe.get(COUNTER)).contains(Long.toString(own));
        run(probe, start, List.of(COUNTER), Long.toString(own + 1));
        assertThat(probe.get(COUNTER)).contains(Long.toString(own + 1));
        probe.command("DEL", COUNTER);
        run(probe, start, List.of(COUNTER), "0");
        assertThat(Long.parseLong(probe.get(COUNTER).orElseThrow())).isBetween(micros, own);
    }

    /** The clock may stand still between two grants, or have been set back. */
    @ParameterizedTest
    @CsvSource({"1700000000000000, 1700000000000001", "1700000000000007, 1700000000000008", "5, 1700000000000000"})
    void aTokenIsTheTimeOrOneMoreThanTheLast(String last, String next, RedisProbe probe) {
        probe.command("SET", COUNTER, last);
        String call = "return next_token(function() return '1700000000000000' end)";
        RedisReply token = probe.command(
                "EVAL", LuaScript.named("token-single").text() + call, "4", LOCK, READERS, WAITING, COUNTER);
        assertThat(token.text()).isEqualTo(next);
        assertThat(probe.get(COUNTER)).contains(next);
    }

    private static RedisReply write(RedisProbe probe, String owner, String timeToLive, String wait) {
        return run(
                probe,
                SCRIPTS.acquireExclusive(),
                List.of(LOCK, READERS, WAITING, COUNTER),
                owner,
                timeToLive,
                wait,
                owner);
    }

    private static RedisReply read(RedisProbe probe, String owner, String timeToLive, String again) {
        return run(
                probe,
                SCRIPTS.acquireShared(),
                List.of(LOCK, READERS, WAITING, COUNTER),
                owner,
                timeToLive,
                again,
                owner);
    }

    private static long freed(RedisProbe probe, String keep) {
        return free(probe, List.of(LOCK, WAITING), "me", CHANNEL, keep);
    }

    private static long free(RedisProbe probe, List<String> keys, String owner, String channel, String keep) {
        return run(probe, SCRIPTS.releaseExclusive(), keys, owner, channel, keep)
                .number();
    }

    private static long leave(RedisProbe probe, String owner, String keep, String token) {
        return run(probe, SCRIPTS.releaseShared(), List.of(READERS, WAITING), owner, CHANNEL, keep, token)
                .number();
    }

    private static boolean published(RedisProbe probe, Runnable action) {
        probe.command("CONFIG", "RESETSTAT");
        action.run();
        return probe.info("commandstats").containsKey("cmdstat_publish");
    }

    private static RedisReply run(RedisProbe probe, LuaScript script, List<String> keys, String... arguments) {
        List<String> command = new ArrayList<>(List.of("EVAL", script.text(), Integer.toString(keys.size())));
        command.addAll(keys);
        command.addAll(List.of(arguments));
        return probe.command(command.toArray(String[]::new));
    }

    private static List<Long> numbers(RedisReply reply) {
        return reply.items().stream().map(RedisReply::number).toList();
    }

    /** The server's time in ms, in so many. */
    private static String in(RedisProbe probe, long millis) {
        List<String> time = probe.command("TIME").texts();
        return Long.toString(Long.parseLong(time.get(0)) * 1_000 + Long.parseLong(time.get(1)) / 1_000 + millis);
    }

    private static long ttl(RedisProbe probe, String key) {
        return probe.ttlMillis(key).orElseThrow();
    }

    private static List<String> readers(RedisProbe probe) {
        return probe.command("ZRANGE", READERS, "0", "-1").texts();
    }
}
