package io.distlock.test.process;

import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServerOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.TemporalUnitLessThanOffset;
import org.junit.jupiter.api.Test;

class SteppableClockTests {

    private static final TemporalUnitLessThanOffset ABOUT = new TemporalUnitLessThanOffset(10, MINUTES);

    private static String output(SteppableClock clock, String... command) throws IOException {
        List<String> all = new ArrayList<>(clock.prefix());
        all.addAll(List.of(command));
        Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    @Test
    void aProgramSeesTheTimeThatTheTestSets() throws IOException {
        try (SteppableClock clock = new SteppableClock()) {
            assertThat(Instant.parse(output(clock, "date", "-u", "+%FT%TZ"))).isCloseTo(Instant.now(), ABOUT);
            clock.step(Duration.ofHours(-3));
            assertThat(Instant.parse(output(clock, "date", "-u", "+%FT%TZ")))
                    .isCloseTo(Instant.now().minus(Duration.ofHours(3)), ABOUT);
        }
    }

    /** Redis brings an allocator of its own. */
    @Test
    void theClockOfARunningServerIsStepped() {
        try (SteppableClock clock = new SteppableClock();
                RedisServer server =
                        RedisServer.start(RedisServerOptions.defaults().withClock(clock))) {
            clock.step(Duration.ofHours(2));
            assertThat(timeOf(server)).isCloseTo(Instant.now().plus(Duration.ofHours(2)), ABOUT);
        }
    }

    private static Instant timeOf(RedisServer server) {
        return Instant.ofEpochSecond(
                Long.parseLong(server.probe().info("server").get("server_time_usec")) / 1_000_000);
    }

    @Test
    void aJvmMeasuresTimeAsBefore() throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        try (SteppableClock clock = new SteppableClock()) {
            clock.step(Duration.ofHours(2));
            String[] seen = output(clock, java, "-cp", OwnClassPath.absolute(), TwoClocks.class.getName())
                    .split(" ", -1);
            assertThat(Instant.ofEpochMilli(Long.parseLong(seen[0])))
                    .isCloseTo(Instant.now().plus(Duration.ofHours(2)), ABOUT);
            // On Linux, all processes have the same one.
            assertThat(Duration.ofNanos(System.nanoTime() - Long.parseLong(seen[1])))
                    .isBetween(Duration.ZERO, Duration.ofMinutes(10));
        }
    }

    /** Prints both. */
    static final class TwoClocks {

        private TwoClocks() {}

        public static void main(String[] none) {
            System.out.print(System.currentTimeMillis() + " " + System.nanoTime());
        }
    }
}
