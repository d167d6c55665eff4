package io.distlock.spring.leader;

/** A {@link LeaderOnly} method was called on an instance that does not lead; it did not run. */
public final class NotLeaderException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String role;

    public NotLeaderException(String role) {
        super("this instance does not lead '" + role + "', so the method did not run: call the leader, or use"
                + " @LeaderOnly(otherwise = SKIP)");
        this.role = role;
    }

    /** The role that this instance does not lead. */
    public String role() {
        return role;
    }
}
