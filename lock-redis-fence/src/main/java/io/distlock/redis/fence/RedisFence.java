package io.distlock.redis.fence;

import io.distlock.HeldLock;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Sequencer;
import io.distlock.fencing.Fence;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * A fence in the Redis that holds the protected data. The locks may be elsewhere. Each write runs in a script that first
 * compares the lock's token with the newest one that has written under this lock. So a stale holder changes nothing.
 *
 * <p>One key beside the data holds the newest token of a lock. In a cluster that key has to be in the slot of the data, so
 * each slot has its own: give all data of a lock one hash tag, such as {@code {orders:42}}.
 *
 * <p>That key expires after the retention, counted from the last write. A stale holder is refused even then: a write first
 * checks {@link HeldLock#ensureHeld()}, and without the key the script refuses a write that was checked more than half the
 * retention ago. So the retention must be at least twice the longest time that a lock may be held, and half of it must
 * exceed the difference between the clocks of the application and of Redis.
 *
 * <p>As with the data itself, an eviction, a failover or a restart without persistence may lose what was written last.
 * Thread-safe.
 */
public final class RedisFence implements Fence {

    private static final String FRAME = text("fence.lua");
    private static final RedisScript<Long> NOTHING = RedisScript.of("return 0", Long.class);
    static final RedisScript<Long> COMMAND = RedisScript.of(text("fence-command.lua"), Long.class);

    private final StringRedisTemplate redis;
    private final Options options;
    private final Ticker clock;

    /**
     * @param connectionFactory connects to the Redis with the protected data
     */
    public RedisFence(RedisConnectionFactory connectionFactory, Options options) {
        this(connectionFactory, options, Ticker.system());
    }

    RedisFence(RedisConnectionFactory connectionFactory, Options options, Ticker clock) {
        this.redis = new StringRedisTemplate(connectionFactory);
        this.options = options;
        this.clock = clock;
    }

    /**
     * Runs a script unless a later holder of the lock has written already. Under a shared lock the token is only compared.
     *
     * @param script as for {@link StringRedisTemplate}; without a {@code #!} line
     * @param keys the keys of the script; in a cluster, all in one slot
     * @return what the script returned
     * @throws StaleFencingTokenException if a later holder has written already; this call has written nothing
     * @throws io.distlock.LockLostException if the lock is known to be lost
     * @throws IllegalStateException if the lock was released, if the newest token is from another provider, or inside {@code
     *     MULTI} or a pipeline, where the answer would come too late
     * @throws IllegalArgumentException if a cluster could not run the script
     */
    public <T> @Nullable T execute(HeldLock lock, RedisScript<T> script, List<String> keys, String... args) {
        // Before the check, or a pause between the two would go unnoticed.
        long asked = clock.wallMillis();
        lock.ensureHeld();
        return run(asked, lock.sequencers(), script, keys, args);
    }

    /** Sets a value: {@code SET}. Otherwise as {@link #execute}. */
    public void set(HeldLock lock, String key, String value) {
        execute(lock, COMMAND, List.of(key), "SET", value);
    }

    /** Sets a field of a hash: {@code HSET}. Otherwise as {@link #execute}. */
    public void put(HeldLock lock, String key, String field, String value) {
        execute(lock, COMMAND, List.of(key), "HSET", field, value);
    }

    /** Appends to a list: {@code RPUSH}. Otherwise as {@link #execute}. */
    public void push(HeldLock lock, String key, String value) {
        execute(lock, COMMAND, List.of(key), "RPUSH", value);
    }

    /** Deletes a key: {@code DEL}. Otherwise as {@link #execute}. */
    public void delete(HeldLock lock, String key) {
        execute(lock, COMMAND, List.of(key), "DEL");
    }

    /**
     * {@inheritDoc}
     *
     * <p>This only records the token, so it protects later writes: to check and write in one step, use {@link #execute}. If the
     * lock has not been used for longer than the retention, any token is accepted here.
     */
    @Override
    public void advance(Sequencer sequencer) {
        run(clock.wallMillis(), List.of(sequencer), NOTHING, List.of());
    }

    @Override
    public void advance(HeldLock lock) {
        long asked = clock.wallMillis();
        lock.ensureHeld();
        lock.sequencers().forEach(sequencer -> run(asked, List.of(sequencer), NOTHING, List.of()));
    }

    private <T> @Nullable T run(
            long asked, List<Sequencer> grants, RedisScript<T> script, List<String> keys, String... args) {
        List<String> fences = fences(grants, keys);
        List<String> allKeys = Stream.concat(keys.stream(), fences.stream()).toList();
        // An error of the script itself may have any other text.
        String marker = "LOCKFENCE-" + UUID.randomUUID();
        List<String> allArgs = new ArrayList<>(List.of(args));
        for (Sequencer grant : grants) {
            allArgs.add(grant.token().toString());
            allArgs.add(grant.mode() == LockMode.EXCLUSIVE ? "1" : "0");
        }
        allArgs.addAll(List.of(
                marker,
                Integer.toString(grants.size()),
                options.source(),
                Long.toString(options.retention().toMillis()),
                Long.toString(asked)));
        try {
            return redis.execute(framed(script), allKeys, allArgs.toArray());
        } catch (DataAccessException failure) {
            throw refusal(failure, marker, grants, fences);
        }
    }

    private List<String> fences(List<Sequencer> grants, List<String> keys) {
        boolean cluster = Boolean.TRUE.equals(redis.execute((RedisCallback<Boolean>) connection -> {
            if (connection.isQueueing() || connection.isPipelined()) {
                throw new IllegalStateException(
                        "the fence of lock '" + grants.get(0).key()
                                + "' was used inside MULTI or a pipeline, where its answer would come too late: do all steps in one"
                                + " script, and pass it to RedisFence.execute");
            }
            return connection instanceof RedisClusterConnection;
        }));
        if (!cluster || keys.isEmpty()) {
            return grants.stream().map(each -> fence(each, each.key().text())).toList();
        }
        int slot = ClusterSlotHashUtil.calculateSlot(keys.get(0));
        String tag = tag(keys.get(0));
        if (keys.stream().anyMatch(key -> ClusterSlotHashUtil.calculateSlot(key) != slot) || tag.indexOf('}') >= 0) {
            throw new IllegalArgumentException("Redis Cluster cannot write " + keys
                    + " together with the fence of lock '"
                    + grants.get(0).key() + "', because they are not in one slot: give the keys the same hash tag,"
                    + " such as {" + grants.get(0).key() + "}");
        }
        return grants.stream().map(each -> fence(each, tag)).toList();
    }

    /** The part of a key that decides its slot. */
    private static String tag(String key) {
        int open = key.indexOf('{');
        int close = key.indexOf('}', open + 1);
        return open >= 0 && close > open + 1 ? key.substring(open + 1, close) : key;
    }

    private String fence(Sequencer grant, String tag) {
        return options.fencePrefix() + ":{" + tag + "}:" + grant.key().text() + "{" + options.lockPrefix() + "}";
    }

    private static <T> RedisScript<T> framed(RedisScript<T> script) {
        String body = script.getScriptAsString();
        if (body.startsWith("#!")) {
            throw new IllegalArgumentException(
                    "a script with a '#!' line cannot be fenced, since it becomes part of another script: remove that line");
        }
        return new DefaultRedisScript<>(FRAME.replace("\nBODY\n", "\n" + body + "\n"), script.getResultType());
    }

    private RuntimeException refusal(
            DataAccessException failure, String marker, List<Sequencer> grants, List<String> fences) {
        Pattern marked = Pattern.compile(marker + ":(STALE|OTHER|LATE):(\\d+):(.*)", Pattern.DOTALL);
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            Matcher refusal = marked.matcher(Objects.requireNonNullElse(cause.getMessage(), ""));
            if (refusal.find()) {
                int index = Integer.parseInt(refusal.group(2)) - 1;
                Sequencer grant = grants.get(index);
                String detail = refusal.group(3);
                return switch (refusal.group(1)) {
                    case "STALE" -> new StaleFencingTokenException(grant, "Redis has seen token " + detail);
                    case "OTHER" ->
                        new IllegalStateException(
                                "the fence of lock '" + grant.key() + "' has the token and source '" + detail
                                        + "', which cannot be compared with tokens from '" + options.source()
                                        + "' (provider:key-prefix): when no instance uses the old source any more, delete the key "
                                        + fences.get(index));
                    default ->
                        new IllegalStateException(
                                "the write under lock '" + grant.key() + "' was sent " + detail
                                        + " ms before Redis ran it, by the clocks of both, so the token of a later holder may have"
                                        + " expired: repeat it if the lock is still held, and set the clocks right if they differ");
                };
            }
        }
        return failure;
    }

    /** Now: a script of a resource reads it again for each call. */
    private static String text(String file) {
        return RedisScript.of(new ClassPathResource(file, RedisFence.class)).getScriptAsString();
    }

    /**
     * How a fence keeps its tokens.
     *
     * @param provider the provider of the locks, such as {@code redis}
     * @param lockPrefix the prefix of the locks' keys at their store; applications with different ones may share the Redis
     * @param fencePrefix prefix of the fence's keys
     * @param retention how long a lock's newest token is kept after its last use; at least a minute
     */
    public record Options(String provider, String lockPrefix, String fencePrefix, Duration retention) {

        private static final Duration SHORTEST = Duration.ofMinutes(1);

        public Options {
            if (fencePrefix.isBlank() || fencePrefix.indexOf('{') >= 0 || fencePrefix.indexOf('}') >= 0) {
                throw new IllegalArgumentException("fence prefix \"" + fencePrefix
                        + "\" must not be blank or contain braces, which Redis Cluster would take for a hash tag");
            }
            if (retention.compareTo(SHORTEST) < 0) {
                throw new IllegalArgumentException("retention " + LockOptions.text(retention)
                        + " of a fence is too short: use at least " + LockOptions.text(SHORTEST));
            }
        }

        String source() {
            return provider + ":" + lockPrefix;
        }
    }
}
