package io.distlock.test.etcd;

/**
 * Whom a client says it is.
 *
 * @param user the user
 * @param password the user's password
 */
public record EtcdCredentials(String user, String password) {

    private static final String ROOT = "root";

    /**
     * Checks both.
     *
     * @param user the user
     * @param password the user's password
     */
    public EtcdCredentials {
        if (user.isBlank() || password.isBlank()) {
            throw new IllegalArgumentException("user '%s' and the password must not be blank".formatted(user));
        }
    }

    /**
     * Those of root, who may do everything; etcd's authentication cannot be on without it.
     *
     * @param password root's password
     * @return the credentials
     */
    public static EtcdCredentials ofRoot(String password) {
        return new EtcdCredentials(ROOT, password);
    }
}
