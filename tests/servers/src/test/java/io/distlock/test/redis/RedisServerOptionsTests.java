package io.distlock.test.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RedisServerOptionsTests {

    @Test
    void linesAddUp() {
        RedisServerOptions options =
                RedisServerOptions.defaults().withConfig("a 1").withConfig("b 2", "c 3");

        assertThat(options.config()).containsExactly("a 1", "b 2", "c 3");
    }

    @Test
    void aLineThatIsTwoIsRefused() {
        assertThatThrownBy(() -> RedisServerOptions.defaults().withConfig("a 1\nb 2"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("one line");
    }

    @Test
    void aPasswordThatNeedsQuotingIsRefused() {
        assertThatThrownBy(() -> RedisServerOptions.defaults().withPassword("not \"plain\""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not \"plain\"");
    }
}
