package io.distlock.redis.script;

import io.distlock.redis.connection.RedisCall;
import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.connection.RedisConnection;
import io.distlock.spi.Ticker;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.BooleanListOutput;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.ValueListOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Commands to the server itself, not scripts. Fails with a {@link RedisCallException}. Thread-safe.
 *
 * @param single makes connections that do not reconnect
 */
public record ServerCommands(RedisConnection<?> connection, Supplier<RedisConnection<?>> single, Ticker ticker) {

    private static final LuaScript START_COUNTER = LuaScript.named("start-counter");

    /** Calls on a separate connection that the driver does not reconnect, so that one process answers them all. */
    <T> CompletionStage<T> onOneConnection(Function<ServerCommands, CompletionStage<T>> calls) {
        RedisConnection<?> own = single.get();
        return calls.apply(new ServerCommands(own, single, ticker)).whenComplete((done, failure) -> own.close());
    }

    public CompletableFuture<String> ping() {
        return call(CommandType.PING, StatusOutput::new);
    }

    public CompletableFuture<Info> info(String section) {
        return call(CommandType.INFO, StatusOutput::new, section).thenApply(Info::new);
    }

    /** A setting, merged over the masters of a cluster; empty where a server withholds it, as many hosted ones do. */
    CompletionStage<String> setting(String name, BinaryOperator<String> merge) {
        return connection
                .connect()
                .thenCompose(connected -> masters(connected)
                        .map(master -> master.thenCompose(server -> setting(name, server))
                                .exceptionally(refused -> ""))
                        .reduce(CompletableFuture.completedFuture(""), (one, other) -> one.thenCombine(other, merge)));
    }

    private static Stream<CompletionStage<? extends StatefulConnection<?, ?>>> masters(
            StatefulConnection<?, ?> connected) {
        return connected instanceof StatefulRedisClusterConnection<?, ?> cluster
                ? cluster.getPartitions().stream()
                        .filter(node -> node.getRole().isUpstream())
                        .map(node -> cluster.getConnectionAsync(node.getNodeId()))
                : Stream.of(CompletableFuture.completedFuture(connected));
    }

    private CompletableFuture<String> setting(String name, StatefulConnection<?, ?> server) {
        RedisCall<List<String>> call = newCall(CommandType.CONFIG, ValueListOutput::new, "GET", name);
        return send(call, server).thenApply(pair -> pair.size() < 2 ? "" : pair.get(1));
    }

    /** The fencing counter in a key; empty if there is none. */
    public CompletableFuture<Optional<Long>> counter(String key) {
        return call(CommandType.GET, ValueOutput<String, String>::new, key)
                .thenApply(value -> Optional.ofNullable(value).map(Long::parseLong));
    }

    /** Sets the fencing counter in a key to no less than this, the server's time in microseconds and what it was. */
    CompletionStage<Long> startCounter(String key, long least) {
        return load(START_COUNTER, 0)
                .thenCompose(digest ->
                        call(CommandType.EVALSHA, IntegerOutput::new, digest, "1", key, Long.toString(least)));
    }

    /** Which of these scripts the server has. */
    CompletableFuture<List<Boolean>> knows(List<LuaScript> scripts) {
        String[] arguments = Stream.concat(Stream.of("EXISTS"), scripts.stream().map(LuaScript::digest))
                .toArray(String[]::new);
        return call(CommandType.SCRIPT, BooleanListOutput<String, String>::new, arguments);
    }

    /** Loads a script, in a cluster on the slot's master. */
    CompletionStage<String> load(LuaScript script, int slot) {
        return connection.connect().thenCompose(connected -> {
            if (!(connected instanceof StatefulRedisClusterConnection<?, ?> cluster)) {
                return load(script, connected);
            }
            var node = cluster.getPartitions().getPartitionBySlot(slot);
            return node == null
                    ? CompletableFuture.failedFuture(
                            new RedisCallException("no node of the cluster serves slot " + slot, false))
                    : cluster.getConnectionAsync(node.getNodeId()).thenCompose(master -> load(script, master));
        });
    }

    /** Loads scripts, in a cluster on each master, through a connection not yet stored here. */
    void load(List<LuaScript> scripts, StatefulConnection<?, ?> connected) {
        masters(connected)
                .forEach(master -> master.thenAccept(server -> scripts.forEach(script -> load(script, server))));
    }

    private CompletionStage<String> load(LuaScript script, StatefulConnection<?, ?> server) {
        return send(newCall(CommandType.SCRIPT, StatusOutput::new, "LOAD", script.text()), server);
    }

    private static <T> CompletableFuture<T> send(RedisCall<T> call, StatefulConnection<?, ?> node) {
        @SuppressWarnings("unchecked") // made with the codec for strings
        var connected = (StatefulConnection<String, String>) node;
        try {
            connected.dispatch(call);
        } catch (RuntimeException closed) {
            call.completeExceptionally(closed);
        }
        return answer(call);
    }

    private <T> CompletableFuture<T> call(
            CommandType type, Function<StringCodec, CommandOutput<String, String, T>> output, String... arguments) {
        RedisCall<T> call = newCall(type, output, arguments);
        connection.send(call);
        return answer(call);
    }

    private <T> RedisCall<T> newCall(
            CommandType type, Function<StringCodec, CommandOutput<String, String, T>> output, String... arguments) {
        return RedisCall.withoutKey(ticker.nanos(), type, output, arguments);
    }

    private static <T> CompletableFuture<T> answer(RedisCall<T> call) {
        return call.handle((reply, failure) -> {
            if (failure != null) {
                throw call.failure(call.getType().toString(), failure);
            }
            return reply;
        });
    }

    /** A server's answer to INFO. */
    public record Info(String text) {

        public Optional<String> field(String name) {
            String start = name + ':';
            return text.lines()
                    .filter(line -> line.startsWith(start))
                    .map(line -> line.substring(start.length()))
                    .findFirst();
        }

        /** A new one after each start of the server. */
        public String runId() {
            return field("run_id").orElse("unknown");
        }

        Duration uptime() {
            return Duration.ofSeconds(
                    field("uptime_in_seconds").map(Long::parseLong).orElse(0L));
        }

        int majorVersion() {
            return Integer.parseInt(field("redis_version").orElse("0").split("\\.", 2)[0]);
        }
    }
}
