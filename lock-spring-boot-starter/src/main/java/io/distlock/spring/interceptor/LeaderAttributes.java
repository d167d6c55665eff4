package io.distlock.spring.interceptor;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockNotAcquiredException;
import io.distlock.leader.LeaderElection;
import io.distlock.spring.execution.BodyPolicy;
import io.distlock.spring.execution.Executions;
import io.distlock.spring.execution.NotAcquiredHandler;
import io.distlock.spring.leader.LeaderElections;
import io.distlock.spring.leader.LeaderOnly;
import io.distlock.spring.leader.LeaderOnly.Otherwise;
import io.distlock.spring.leader.NotLeaderException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.StringValueResolver;

/**
 * Reads a {@link LeaderOnly}: the lock that its method needs is that of the role's term, which only the leader gets. Whatever is
 * wrong becomes a problem.
 */
record LeaderAttributes(
        LockedMethod method,
        MergedAnnotation<LeaderOnly> annotation,
        StringValueResolver resolver,
        ProblemCollector problems) {

    /** Empty if there is no such role. */
    Optional<LockOperation.Lock> lock(
            Optional<LeaderElections> elections, ReturnTypes.Handling returns, Executions executions) {
        Otherwise otherwise = annotation.getEnum("otherwise", Otherwise.class);
        if (otherwise == Otherwise.SKIP) {
            returns.noSkip()
                    .ifPresent(why -> problems.add(
                            "otherwise",
                            why,
                            "Return a type that may be empty, such as an Optional, or use otherwise = THROW"));
        }
        BodyPolicy policy = LockAttributes.policy(method, annotation, executions, problems);
        return role(elections)
                .flatMap(role -> elections.map(all -> {
                    LockClient terms = all.terms(role);
                    List<LockKey> key = List.of(all.get(role).key());
                    NotAcquiredHandler.Immediate elsewhere = why -> {
                        if (!(why instanceof LockNotAcquiredException)) {
                            throw why;
                        } else if (otherwise == Otherwise.THROW) {
                            throw new NotLeaderException(role);
                        }
                        return returns.skipped().get();
                    };
                    return new LockOperation.Lock(
                            terms,
                            LeaderElection.LOCK_NAME,
                            call -> key,
                            LockMode.EXCLUSIVE,
                            1,
                            terms.options(),
                            call -> true,
                            policy,
                            call -> elsewhere);
                }));
    }

    private Optional<String> role(Optional<LeaderElections> elections) {
        Optional<String> named = problems.trying(
                "role",
                "Define the property, or give a default: ${property:default}",
                () -> String.valueOf(resolver.resolveStringValue(annotation.getString("role")))
                        .strip());
        Set<String> known = elections.map(LeaderElections::roles).orElse(Set.of());
        named.filter(role -> !known.contains(role))
                .ifPresent(role -> problems.add(
                        "role",
                        "there is no role \"" + role + "\""
                                + (known.isEmpty() ? "" : ", but " + String.join(", ", known)),
                        "Declare it: distributed-lock.leader.roles."
                                + (role.isEmpty() ? "<role>" : role)
                                + ".auto-start=true"));
        return named.filter(known::contains);
    }
}
