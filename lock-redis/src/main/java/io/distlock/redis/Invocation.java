package io.distlock.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.function.Function;

/**
 * A script with its keys and arguments. Can be sent more than once, as a new command each time.
 *
 * @param slot the hash slot of all its keys
 */
record Invocation<T>(
        LuaScript script,
        int slot,
        CommandArgs<String, String> arguments,
        Function<StringCodec, CommandOutput<String, String, T>> output) {

    static <T> Invocation<T> of(
            LuaScript script,
            int slot,
            Function<StringCodec, CommandOutput<String, String, T>> output,
            String... keys) {
        return of(script, slot, output, List.of(keys));
    }

    static <T> Invocation<T> of(
            LuaScript script,
            int slot,
            Function<StringCodec, CommandOutput<String, String, T>> output,
            List<String> keys) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
        arguments.add(script.digest()).add(keys.size());
        for (String key : keys) {
            arguments.addKey(key);
        }
        return new Invocation<>(script, slot, arguments, output);
    }

    Invocation<T> with(String argument) {
        arguments.addValue(argument);
        return this;
    }

    Invocation<T> with(long argument) {
        arguments.add(argument);
        return this;
    }

    RedisCall<T> newCall(long nanos) {
        return new RedisCall<>(CommandType.EVALSHA, output.apply(StringCodec.UTF8), arguments, slot, nanos);
    }
}
