package io.distlock.redis.script;

import io.distlock.LockMode;
import io.distlock.redis.connection.RedisCall;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * A script with its keys, of one hash slot, and arguments. Can be sent more than once, as a new command each time.
 *
 * @param withText whether to send the script, not its digest, for a server that may not know it
 */
public record ScriptCall<T>(
        LuaScript script,
        int slot,
        List<String> keys,
        List<String> arguments,
        Function<StringCodec, CommandOutput<String, String, T>> output,
        boolean withText) {

    public static <T> ScriptCall<T> of(
            LuaScript script,
            int slot,
            Function<StringCodec, CommandOutput<String, String, T>> output,
            List<String> keys) {
        return new ScriptCall<>(script, slot, keys, new ArrayList<>(), output, false);
    }

    /**
     * Adds arguments. A time is sent in milliseconds, rounded up: a time to live must not be shorter than the holder
     * assumes; zero if negative.
     */
    public ScriptCall<T> with(Object... more) {
        for (Object each : more) {
            arguments.add(text(each));
        }
        return this;
    }

    private static String text(Object argument) {
        if (argument instanceof Duration time) {
            return Long.toString(time.isNegative() ? 0 : time.plusNanos(999_999).toMillis());
        }
        return argument instanceof LockMode mode ? mode.name().toLowerCase(Locale.ROOT) : argument.toString();
    }

    /** The same on the first key only, for whichever server has it. */
    ScriptCall<T> onFirstKey() {
        return new ScriptCall<>(script, slot, keys.subList(0, 1), arguments, output, true);
    }

    RedisCall<T> newCall(long nanos) {
        CommandArgs<String, String> all = new CommandArgs<>(StringCodec.UTF8);
        all.add(withText ? script.text() : script.digest()).add(keys.size());
        // A cluster finds the node by the first key. The rest are plain arguments, because the driver copies each key
        // and value through its own buffer: a third of its thread's work for a lock.
        all.addKey(keys.get(0));
        keys.subList(1, keys.size()).forEach(all::add);
        arguments.forEach(all::add);
        return new RedisCall<>(
                withText ? CommandType.EVAL : CommandType.EVALSHA, output.apply(StringCodec.UTF8), all, nanos);
    }
}
