package io.distlock.jdbc;

/** The database cannot keep locks as it is set up: {@link #problem()} says why, and {@link #cure()} what to do. */
public final class JdbcLockSetupException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String cure;

    JdbcLockSetupException(String problem, String cure, Throwable cause) {
        super(problem + ": " + cure, cause);
        this.problem = problem;
        this.cure = cure;
    }

    JdbcLockSetupException(String problem, String cure) {
        super(problem + ": " + cure);
        this.problem = problem;
        this.cure = cure;
    }

    /** What is wrong. */
    public String problem() {
        return problem;
    }

    /** What to do about it. */
    public String cure() {
        return cure;
    }
}
