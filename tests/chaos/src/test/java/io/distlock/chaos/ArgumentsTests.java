package io.distlock.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.chaos.store.Stores;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArgumentsTests {

    @Test
    void withoutArgumentsEachProviderHasAMinute() {
        Arguments arguments = Arguments.of(List.of());
        assertThat(arguments.providers()).isEqualTo(Stores.PROVIDERS);
        assertThat(arguments.duration()).isEqualTo(Duration.ofMinutes(1));
        assertThat(arguments.seeds()).hasSize(1);
        assertThat(arguments.untilBroken()).isFalse();
        assertThat(arguments.page()).isFalse();
    }

    @Test
    void providersTimeAndSeedsCanBeSaid() {
        Arguments arguments = Arguments.of(
                List.of("etcd", "--minutes", "0.5", "--seed", "7", "redis", "--seed", "8", "--until-broken", "--page"));
        assertThat(arguments.providers()).containsExactly("etcd", "redis");
        assertThat(arguments.duration()).isEqualTo(Duration.ofSeconds(30));
        assertThat(arguments.seeds()).containsExactly(7L, 8L);
        assertThat(arguments.untilBroken()).isTrue();
        assertThat(arguments.page()).isTrue();
    }

    @Test
    void whatIsNotUnderstoodIsSaid() {
        assertThatThrownBy(() -> Arguments.of(List.of("mongo")))
                .hasMessageContaining("not understood: mongo")
                .hasMessageContaining("redlock");
        assertThatThrownBy(() -> Arguments.of(List.of("--minutes"))).hasMessageContaining("--minutes takes a number");
        assertThatThrownBy(() -> Arguments.of(List.of("--seed", "x"))).hasMessageContaining("--seed takes a number");
    }
}
