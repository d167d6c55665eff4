package io.distlock.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KnotsTests {

    private static final String FOUR = "io.distlock.redis: A, B, C, D";

    @TempDir
    Path directory;

    Sources sources;

    @BeforeEach
    void newSources() {
        sources = new Sources(directory);
    }

    private List<String> problems(String... known) throws IOException {
        return Knots.problems(sources.compile(), Set.of(known));
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

        assertThat(problems()).isEmpty();
    }

    @Test
    void fourMayNot() throws IOException {
        circle("A", "B", "C", "D");
        sources.with("io.distlock.redis.E", "io.distlock.redis.A a;");

        assertThat(problems()).containsExactly(FOUR);
    }

    @Test
    void aNestedTypeBelongsToItsFile() throws IOException {
        circle("A", "B", "C");
        sources.with("io.distlock.redis.E", "io.distlock.redis.D.Inner inner;")
                .with("io.distlock.redis.F", "io.distlock.redis.E e;")
                .with("io.distlock.redis.G", "io.distlock.redis.F f;")
                .with("io.distlock.redis.D", "static class Inner { io.distlock.redis.G g; }");

        assertThat(problems()).containsExactly("io.distlock.redis: D, E, F, G");
    }

    @Test
    void aKnownOneMayStayButNotGrow() throws IOException {
        circle("A", "B", "C", "D");

        assertThat(problems(FOUR)).isEmpty();
        assertThat(problems("io.distlock.redis: A, B, C, D, E"))
                .containsExactly(
                        FOUR, "io.distlock.redis: A, B, C, D, E is untied: remove it from the list of known knots");
    }

    @Test
    void aListedOneThatIsGoneMustBeRemovedFromTheList() throws IOException {
        circle("A", "B");

        assertThat(problems(FOUR)).singleElement().asString().startsWith(FOUR + " is untied");
        assertThat(problems("io.distlock.etcd: A, B, C, D")).isEmpty();
    }
}
