package io.distlock.spring.leader;

import io.distlock.LockClient;
import io.distlock.leader.LeaderElection;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The elections of an application, one for each role that its properties declare. Thread-safe. */
public final class LeaderElections implements AutoCloseable {

    private final Map<String, TermClient> roles = new TreeMap<>();

    LeaderElections(Collection<TermClient> roles) {
        roles.forEach(each -> this.roles.put(each.election().role(), each));
    }

    /**
     * The election for a role.
     *
     * @throws IllegalArgumentException if there is none; lists the known ones
     */
    public LeaderElection get(String role) {
        return find(role).election();
    }

    /** The names of all roles. */
    public Set<String> roles() {
        return Collections.unmodifiableSet(roles.keySet());
    }

    /** How many calls of {@link LeaderOnly} methods did not run because this instance did not lead the role. */
    public long skipped(String role) {
        return find(role).skipped();
    }

    /**
     * A client whose only lock is that of the role's term: it grants the lock at once on the leader, and never elsewhere. Not
     * for applications.
     */
    public LockClient terms(String role) {
        return find(role);
    }

    private TermClient find(String role) {
        TermClient found = roles.get(role);
        if (found == null) {
            throw new IllegalArgumentException("there is no role '" + role + "'"
                    + (roles.isEmpty() ? "" : "; the roles are " + String.join(", ", roles.keySet())));
        }
        return found;
    }

    /** Ends all elections, after the context has withdrawn from them. */
    @Override
    public void close() {
        roles.values().forEach(each -> each.election().close());
    }
}
