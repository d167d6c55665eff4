package io.distlock.test.redis;

import io.distlock.test.process.SteppableClock;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How a server is to be set up. Immutable; each {@code with} method gives a changed copy.
 *
 * @param binary the program; empty for {@link RedisBinary#find()}
 * @param config lines for its configuration file, after ours, so that they win
 * @param credentials what clients must log in with; empty for a server that does not ask
 * @param tls whether it requires TLS, and nothing else, on its port
 * @param prefix of the command that starts it
 */
public record RedisServerOptions(
        Optional<RedisBinary> binary,
        List<String> config,
        Optional<RedisCredentials> credentials,
        boolean tls,
        List<String> prefix) {

    /**
     * Checks and copies.
     *
     * @param binary the program
     * @param config lines for its configuration file
     * @param credentials what clients must log in with
     * @param tls whether it requires TLS
     * @param prefix of the command that starts it
     */
    public RedisServerOptions {
        config = List.copyOf(config);
        prefix = List.copyOf(prefix);
        config.forEach(RedisServerOptions::requireOneLine);
    }

    /**
     * No persistence, no password, plain text.
     *
     * @return the options
     */
    public static RedisServerOptions defaults() {
        return new RedisServerOptions(Optional.empty(), List.of(), Optional.empty(), false, List.of());
    }

    /**
     * Uses that program.
     *
     * @param other the program
     * @return a changed copy
     */
    public RedisServerOptions withBinary(RedisBinary other) {
        return new RedisServerOptions(Optional.of(other), config, credentials, tls, prefix);
    }

    /**
     * Adds lines to the configuration file.
     *
     * @param lines as they would stand in {@code redis.conf}
     * @return a changed copy
     */
    public RedisServerOptions withConfig(String... lines) {
        List<String> all = Stream.concat(config.stream(), Stream.of(lines)).toList();
        return new RedisServerOptions(binary, all, credentials, tls, prefix);
    }

    /**
     * Every write is on disk before it is answered, so that a restart loses nothing.
     *
     * @return a changed copy
     */
    public RedisServerOptions withPersistence() {
        return withConfig("appendonly yes", "appendfsync always");
    }

    /**
     * Asks for a password.
     *
     * @param password the default user's password
     * @return a changed copy
     */
    public RedisServerOptions withPassword(String password) {
        return withCredentials(RedisCredentials.ofDefaultUser(password));
    }

    /**
     * Asks for an ACL user, who may do everything; the default user may do nothing.
     *
     * @param user the user's name
     * @param password the user's password
     * @return a changed copy
     */
    public RedisServerOptions withUser(String user, String password) {
        return withCredentials(new RedisCredentials(Optional.of(user), password));
    }

    /**
     * Speaks TLS with {@link io.distlock.test.process.TestCertificate#shared()}.
     *
     * @return a changed copy
     */
    public RedisServerOptions withTls() {
        return new RedisServerOptions(binary, config, credentials, true, prefix);
    }

    /**
     * Has a wall clock that can be stepped.
     *
     * @param clock the clock
     * @return a changed copy
     */
    public RedisServerOptions withClock(SteppableClock clock) {
        return new RedisServerOptions(binary, config, credentials, tls, clock.prefix());
    }

    private RedisServerOptions withCredentials(RedisCredentials other) {
        return new RedisServerOptions(binary, config, Optional.of(other), tls, prefix);
    }

    private static void requireOneLine(String line) {
        if (line.isBlank() || line.lines().count() != 1) {
            throw new IllegalArgumentException("'%s' is not one line of configuration".formatted(line));
        }
    }
}
