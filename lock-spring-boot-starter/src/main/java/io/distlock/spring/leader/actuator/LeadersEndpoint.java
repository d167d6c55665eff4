package io.distlock.spring.leader.actuator;

import io.distlock.LockException;
import io.distlock.leader.Leader;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderTerm;
import io.distlock.spring.leader.LeaderElections;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** Shows who leads each role, as the store knows it, and lets this instance resign. Thread-safe. */
@Endpoint(id = "leaders")
class LeadersEndpoint {

    private static final Logger log = LoggerFactory.getLogger(LeadersEndpoint.class);

    private final LeaderElections elections;

    LeadersEndpoint(LeaderElections elections) {
        this.elections = elections;
    }

    /** All roles. */
    @ReadOperation
    public Roles leaders() {
        Map<String, Role> roles = new TreeMap<>();
        elections.roles().forEach(role -> roles.put(role, describe(elections.get(role))));
        return new Roles(roles);
    }

    /** One role; null, and so not found, if there is none. */
    @ReadOperation
    public @Nullable Role leader(@Selector String role) {
        return elections.roles().contains(role) ? describe(elections.get(role)) : null;
    }

    private static Role describe(LeaderElection election) {
        try {
            return new Role(
                    election.isLeader(),
                    election.isStanding(),
                    election.leader().map(Holder::of).orElse(null),
                    null);
        } catch (LockException silent) {
            return new Role(
                    election.isLeader(),
                    election.isStanding(),
                    election.term().map(Holder::of).orElse(null),
                    "the store did not answer");
        }
    }

    /** This instance resigns, and stands again after a pause; not found if there is no such role. */
    @DeleteOperation
    public @Nullable Resignation resign(@Selector String role) {
        if (!elections.roles().contains(role)) {
            return null;
        }
        boolean resigned = elections.get(role).resign();
        log.info("Asked to resign as leader of '{}': {}", role, resigned ? "done" : "this instance does not lead");
        return new Resignation(resigned);
    }

    /** All roles by their names. */
    record Roles(Map<String, Role> roles) implements OperationResponseBody {}

    /**
     * @param leads whether this instance leads
     * @param stands whether this instance leads or stands for election
     * @param leader who leads; null if nobody does, or if the store did not answer
     * @param error why the leader is not known
     */
    record Role(
            boolean leads,
            boolean stands,
            @Nullable Holder leader,
            @Nullable String error) implements OperationResponseBody {}

    /**
     * @param instance the application and instance that leads; null if its owner value does not say
     * @param term the token of its term
     * @param since when its term began or, on another instance, when that one first saw it
     */
    record Holder(@Nullable String instance, @Nullable Long term, Instant since) {

        static Holder of(Leader leader) {
            return new Holder(
                    leader.instance().orElse(null),
                    leader.token().map(token -> token.value()).orElse(null),
                    leader.since());
        }

        static Holder of(LeaderTerm term) {
            return new Holder(null, term.token().value(), term.since());
        }
    }

    /**
     * @param resigned whether this instance has led
     */
    record Resignation(boolean resigned) implements OperationResponseBody {}
}
