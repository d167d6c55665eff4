package io.distlock.redis.connection;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A command in flight that knows whether it has left this process. */
public final class RedisCall<T> extends AsyncCommand<String, String, T> {

    private final long createdNanos;
    private volatile boolean sent;
    private @Nullable RedisCall<?> before;

    public RedisCall(
            ProtocolKeyword type,
            CommandOutput<String, String, T> output,
            CommandArgs<String, String> arguments,
            long nanos) {
        super(new Command<>(type, output, arguments));
        this.createdNanos = nanos;
    }

    /** A command that has no key, and goes to any node of a cluster. */
    public static <T> RedisCall<T> withoutKey(
            long nanos,
            ProtocolKeyword type,
            Function<StringCodec, CommandOutput<String, String, T>> output,
            String... arguments) {
        CommandArgs<String, String> all = new CommandArgs<>(StringCodec.UTF8);
        List.of(arguments).forEach(all::addValue);
        return new RedisCall<>(type, output.apply(StringCodec.UTF8), all, nanos);
    }

    /** Sends another call right before this one, on the same connection: both arrive or neither is answered. */
    public RedisCall<T> after(RedisCall<?> first) {
        before = first;
        whenComplete((reply, failure) -> {
            if (failure != null) {
                first.completeExceptionally(failure);
            }
        });
        return this;
    }

    @Nullable
    RedisCall<?> before() {
        return before;
    }

    long createdNanos() {
        return createdNanos;
    }

    /** Called when the command is put on the wire, and not before. */
    @Override
    public void encode(ByteBuf buffer) {
        sent = true;
        super.encode(buffer);
    }

    /** A command that never left, or that Redis answered with an error, has done nothing. */
    public RedisCallException failure(String what, Throwable cause) {
        return new RedisCallException(what, cause, sent && !(cause instanceof RedisCommandExecutionException));
    }
}
