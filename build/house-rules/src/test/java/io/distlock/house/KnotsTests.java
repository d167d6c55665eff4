package io.distlock.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KnotsTests {

    @TempDir
    Path directory;

    Sources sources;

    @BeforeEach
    void newSources() {
        sources = new Sources(directory);
    }

    private List<String> knots() throws IOException {
        return Knots.of(sources.compile());
    }

    private void circle(String... names) throws IOException {
        for (int at = 0; at < names.length; at++) {
            String next = names[(at + 1) % names.length];
            sources.with("io.distlock.redis." + names[at], "io.distlock.redis." + next + " next;");
        }
    }

    @Test
    void threeFilesMayDependOnOneAnother() throws IOException {
        circle("A", "B", "C");
        sources.with("io.distlock.redis.D", "io.distlock.redis.A a;");

        assertThat(knots()).isEmpty();
    }

    @Test
    void fourMayNot() throws IOException {
        circle("A", "B", "C", "D");
        sources.with("io.distlock.redis.E", "io.distlock.redis.A a;");

        assertThat(knots()).containsExactly("io.distlock.redis: A, B, C, D");
    }

    @Test
    void aNestedTypeBelongsToItsFile() throws IOException {
        circle("A", "B", "C");
        sources.with("io.distlock.redis.E", "io.distlock.redis.D.Inner inner;")
                .with("io.distlock.redis.F", "io.distlock.redis.E e;")
                .with("io.distlock.redis.G", "io.distlock.redis.F f;")
                .with("io.distlock.redis.D", "static class Inner { io.distlock.redis.G g; }");

        assertThat(knots()).containsExactly("io.distlock.redis: D, E, F, G");
    }
}
