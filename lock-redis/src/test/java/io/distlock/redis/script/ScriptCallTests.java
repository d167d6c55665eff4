package io.distlock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.output.IntegerOutput;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScriptCallTests {

    private static final LuaScript SCRIPT = LuaScript.named("inspect");

    private final ScriptCall<Long> invocation = ScriptCall.of(SCRIPT, 0, IntegerOutput::new, List.of("zähler", "b"))
            .with("c ü")
            .with(30_000);

    @Test
    void isWrittenAsRedisReadsIt() {
        ByteBuf wire = Unpooled.buffer();
        invocation.newCall(0).encode(wire);
        assertThat(wire.toString(StandardCharsets.UTF_8))
                .isEqualTo(String.join(
                        "\r\n",
                        "*7\r\n$7\r\nEVALSHA",
                        "$40",
                        SCRIPT.digest(),
                        "$1\r\n2",
                        "$7\r\nzähler",
                        "$1\r\nb",
                        "$4\r\nc ü",
                        "$5\r\n30000",
                        ""));
    }

    @Test
    void aClusterFindsItsNodeByTheFirstKey() {
        assertThat(invocation.newCall(0).getArgs().getFirstEncodedKey())
                .isEqualTo(StandardCharsets.UTF_8.encode("zähler"));
    }
}
