package io.distlock.test.redis;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Whom a client says it is.
 *
 * @param user the ACL user; empty for the default user
 * @param password the password: letters, digits, {@code _} and {@code -}, so that it needs no quoting anywhere
 */
public record RedisCredentials(Optional<String> user, String password) {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_-]+");

    /**
     * Checks both.
     *
     * @param user the ACL user; empty for the default user
     * @param password the password
     */
    public RedisCredentials {
        user.ifPresent(name -> requirePlain("user", name));
        requirePlain("password", password);
    }

    /**
     * The default user's.
     *
     * @param password the password
     * @return the credentials
     */
    public static RedisCredentials ofDefaultUser(String password) {
        return new RedisCredentials(Optional.empty(), password);
    }

    private static void requirePlain(String what, String text) {
        if (!PLAIN.matcher(text).matches()) {
            throw new IllegalArgumentException("%s '%s' must match %s".formatted(what, text, PLAIN));
        }
    }
}
