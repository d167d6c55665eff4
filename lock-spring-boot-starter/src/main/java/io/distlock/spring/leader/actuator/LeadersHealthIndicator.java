package io.distlock.spring.leader.actuator;

import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderTerm;
import io.distlock.spring.leader.LeaderElections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Shows what this instance is for each role. Always up: an instance that does not lead is healthy, and the health of the store
 * is that of its provider. Asks no store. Thread-safe.
 */
record LeadersHealthIndicator(LeaderElections elections) implements HealthIndicator {

    @Override
    public Health health() {
        Health.Builder health = Health.up();
        elections.roles().forEach(role -> health.withDetail(role, describe(elections.get(role))));
        return health.build();
    }

    private static Map<String, Object> describe(LeaderElection election) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("leads", election.isLeader());
        details.put("stands", election.isStanding());
        election.term().ifPresent(term -> describe(term, details));
        return details;
    }

    private static void describe(LeaderTerm term, Map<String, Object> details) {
        details.put("term", term.token().value());
        details.put("since", term.since());
    }
}
