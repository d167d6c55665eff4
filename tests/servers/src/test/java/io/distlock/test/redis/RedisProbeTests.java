package io.distlock.test.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.UncheckedIOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RedisExtension.class)
class RedisProbeTests {

    @Test
    void readsEveryShapeOfReply(RedisProbe probe) {
        RedisReply reply = probe.command("EVAL", "return {1, 'two', {3}, false, {err='four'}}", "0");

        assertThat(reply.items())
                .containsExactly(
                        new RedisReply.Int(1),
                        new RedisReply.Text("two"),
                        new RedisReply.Items(List.of(new RedisReply.Int(3))),
                        new RedisReply.Nil(),
                        new RedisReply.Failure("four"));
    }

    @Test
    void throwsAnErrorReplyInTheServersWords(RedisProbe probe) {
        assertThatThrownBy(() -> probe.command("NONSENSE"))
                .isInstanceOf(RedisErrorException.class)
                .hasMessageContaining("NONSENSE");
    }

    @Test
    void worksOnAfterAnErrorReply(RedisProbe probe) {
        assertThatThrownBy(() -> probe.command("NONSENSE")).isInstanceOf(RedisErrorException.class);

        assertThat(probe.command("PING").text()).isEqualTo("PONG");
    }

    @Test
    void saysWhatAReplyIsThatIsNotWhatWasExpected(RedisProbe probe) {
        assertThatThrownBy(() -> probe.command("PING").number())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("PONG");
    }

    @Test
    void carriesTextBeyondAscii(RedisProbe probe) {
        probe.command("SET", "Schlüssel", "größer\r\n");

        assertThat(probe.get("Schlüssel")).contains("größer\r\n");
    }

    @Test
    void listsKeys(RedisProbe probe) {
        probe.command("MSET", "b", "1", "a", "2");

        assertThat(probe.keys()).containsExactly("a", "b");
    }

    @Test
    void anAbsentKeyHasNoValue(RedisProbe probe) {
        assertThat(probe.get("absent")).isEmpty();
    }

    @Test
    void anAbsentKeyHasNoTtl(RedisProbe probe) {
        assertThat(probe.ttlMillis("absent")).isEmpty();
    }

    @Test
    void tellsTheTtl(RedisProbe probe) {
        probe.command("SET", "key", "value", "PX", "60000");

        assertThat(probe.ttlMillis("key").orElseThrow()).isBetween(50_000L, 60_000L);
    }

    @Test
    void aKeyThatNeverExpiresIsNotMistakenForAnAbsentOne(RedisProbe probe) {
        probe.command("SET", "key", "value");

        assertThatThrownBy(() -> probe.ttlMillis("key"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("never expires");
    }

    @Test
    void flushAllDeletesAllKeys(RedisProbe probe) {
        probe.command("SET", "key", "value");

        probe.flushAll();

        assertThat(probe.keys()).isEmpty();
    }

    @Test
    void scriptFlushForgetsScripts(RedisProbe probe) {
        String sha = probe.command("SCRIPT", "LOAD", "return 1").text();

        probe.scriptFlush();

        assertThatThrownBy(() -> probe.command("EVALSHA", sha, "0")).hasMessageStartingWith("NOSCRIPT");
    }

    @Test
    void countsApplicationsButNoProbes(RedisProbe probe, RedisEndpoint endpoint) {
        try (RedisProbe other = RedisProbe.open(endpoint);
                RedisProbe application = RedisProbe.open(endpoint)) {
            application.command("CLIENT", "SETNAME", "application");

            assertThat(probe.clientCount()).isEqualTo(1);
            assertThat(other.clientCount()).isEqualTo(1);
        }
    }

    @Test
    void killsClientsOfAKind(RedisProbe probe, RedisEndpoint endpoint) {
        try (RedisProbe subscriber = RedisProbe.open(endpoint);
                RedisProbe other = RedisProbe.open(endpoint)) {
            subscriber.command("SUBSCRIBE", "channel");

            assertThat(probe.killClients(ClientType.PUBSUB)).isEqualTo(1);

            assertThatThrownBy(() -> subscriber.command("PING")).isInstanceOf(UncheckedIOException.class);
            assertThat(other.command("PING").text()).isEqualTo("PONG");
        }
    }

    @Test
    void listsChannelsThatSomebodyListensTo(RedisProbe probe, RedisEndpoint endpoint) {
        try (RedisProbe subscriber = RedisProbe.open(endpoint)) {
            subscriber.command("SUBSCRIBE", "channel");
            assertThat(probe.pubsubChannels()).containsExactly("channel");
        }

        await().until(() -> probe.pubsubChannels().isEmpty());
    }

    @Test
    void aServersProbeIsReplacedOnceItIsBroken(RedisServer server, RedisEndpoint endpoint) {
        RedisProbe before = server.probe();
        try (RedisProbe killer = RedisProbe.open(endpoint)) {
            killer.killClients(ClientType.NORMAL);
        }
        assertThatThrownBy(() -> before.command("PING")).isInstanceOf(UncheckedIOException.class);

        assertThat(server.probe().command("PING").text()).isEqualTo("PONG");
    }
}
