package io.distlock.test.zookeeper;

import io.distlock.test.process.SteppableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How a server is set up. Immutable.
 *
 * @param tickTime the unit of its times: an ensemble's followers may be 5 ticks behind, and take 10 to join
 * @param longestSession the longest session that it grants; the shortest one is two ticks
 * @param settings further lines of its configuration, by name
 * @param arguments further ones of its JVM
 * @param prefix of the command that starts it
 */
public record ZooKeeperServerOptions(
        Duration tickTime,
        Duration longestSession,
        Map<String, String> settings,
        List<String> arguments,
        List<String> prefix) {

    public ZooKeeperServerOptions {
        settings = Map.copyOf(settings);
        arguments = List.copyOf(arguments);
        prefix = List.copyOf(prefix);
    }

    /**
     * Ticks of half a second, sessions of up to 20 minutes.
     *
     * @return the options
     */
    public static ZooKeeperServerOptions defaults() {
        return new ZooKeeperServerOptions(
                Duration.ofMillis(500), Duration.ofMinutes(20), Map.of(), List.of(), List.of());
    }

    /**
     * With another tick.
     *
     * @param tickTime how long one takes
     * @return the options
     */
    public ZooKeeperServerOptions withTickTime(Duration tickTime) {
        return new ZooKeeperServerOptions(tickTime, longestSession, settings, arguments, prefix);
    }

    /**
     * With another limit of sessions.
     *
     * @param longestSession the longest session
     * @return the options
     */
    public ZooKeeperServerOptions withLongestSession(Duration longestSession) {
        return new ZooKeeperServerOptions(tickTime, longestSession, settings, arguments, prefix);
    }

    /**
     * With another setting.
     *
     * @param name its name, as in {@code zoo.cfg}
     * @param value its value
     * @return the options
     */
    public ZooKeeperServerOptions with(String name, String value) {
        Map<String, String> all = new HashMap<>(settings);
        all.put(name, value);
        return new ZooKeeperServerOptions(tickTime, longestSession, all, arguments, prefix);
    }

    /**
     * With a system property of its JVM, for what {@code zoo.cfg} cannot say.
     *
     * @param name its name
     * @param value its value
     * @return the options
     */
    public ZooKeeperServerOptions withSystemProperty(String name, String value) {
        List<String> all = new ArrayList<>(arguments);
        all.add("-D" + name + '=' + value);
        return new ZooKeeperServerOptions(tickTime, longestSession, settings, all, prefix);
    }

    /**
     * With a wall clock that can be stepped.
     *
     * @param clock the clock, of all servers with these options
     * @return the options
     */
    public ZooKeeperServerOptions withClock(SteppableClock clock) {
        return new ZooKeeperServerOptions(tickTime, longestSession, settings, arguments, clock.prefix());
    }
}
