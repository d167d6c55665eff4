package io.distlock.test.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What one test leaves, the next must not find: so these tests have an order. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RedisExtensionTests {

    @RegisterExtension
    static final RedisExtension redis =
            RedisExtension.create(RedisServerOptions.defaults().withConfig("maxclients 99"));

    private static int port;

    @Test
    @Order(1)
    void leavesAKeyAndAScript() {
        port = redis.server().port();
        redis.probe().command("EVAL", "return redis.call('SET', 'key', 'value')", "0");

        assertThat(redis.probe().keys()).containsExactly("key");
    }

    @Test
    @Order(2)
    void findsNoKeyAndNoScript() {
        assertThat(redis.probe().keys()).isEmpty();
        assertThat(redis.probe().info("memory")).containsEntry("number_of_cached_scripts", "0");
    }

    @Test
    @Order(3)
    void leavesTheServerDead() {
        redis.server().kill();

        assertThat(redis.server().isRunning()).isFalse();
    }

    @Test
    @Order(4)
    void findsTheServerAlive() {
        assertThat(redis.probe().command("PING").text()).isEqualTo("PONG");
    }

    @Test
    void runsOneServerForTheClass(RedisServer parameter) {
        assertThat(parameter).isSameAs(redis.server());
        assertThat(parameter.port()).isEqualTo(port);
    }

    @Test
    void passesTheOptionsOn(RedisProbe probe) {
        assertThat(probe.command("CONFIG", "GET", "maxclients").texts()).contains("99");
    }

    @Test
    void isOfNoUseOutsideATestClass() {
        assertThatThrownBy(() -> RedisExtension.create().server()).isInstanceOf(IllegalStateException.class);
    }

    @Nested
    class InANestedClass {

        @Test
        void isTheSameServer(RedisEndpoint endpoint) {
            assertThat(endpoint).isEqualTo(redis.server().endpoint());
            assertThat(endpoint.port()).isEqualTo(port);
        }
    }
}
