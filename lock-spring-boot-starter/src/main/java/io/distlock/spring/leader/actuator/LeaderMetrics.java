package io.distlock.spring.leader.actuator;

import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderListener;
import io.distlock.leader.LeaderTerm;
import io.distlock.leader.Revocation;
import io.distlock.spi.Ticker;
import io.distlock.spring.leader.LeaderElections;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Measures the elections of each role, as this instance sees them. Thread-safe. */
record LeaderMetrics(MeterRegistry registry, LeaderElections elections, Ticker ticker)
        implements SmartInitializingSingleton, LeaderListener {

    private static final String ROLE = "role";

    @Override
    public void afterSingletonsInstantiated() {
        for (String role : elections.roles()) {
            LeaderElection election = elections.get(role);
            Gauge.builder("distributed.leader", election, each -> each.isLeader() ? 1 : 0)
                    .description("1 on the instance that leads the role, otherwise 0")
                    .tag(ROLE, role)
                    .register(registry);
            LeaderAbsence absence =
                    new LeaderAbsence(election, elections.terms(role).callbacks(), ticker);
            TimeGauge.builder("distributed.leader.absent", absence, TimeUnit.SECONDS, LeaderAbsence::seconds)
                    // Nobody else keeps it.
                    .strongReference(true)
                    .description("For how long nobody has led the role, as this instance knows from the store")
                    .tag(ROLE, role)
                    .register(registry);
            FunctionCounter.builder("distributed.leader.skipped", elections, all -> all.skipped(role))
                    .description("Calls that did not run because this instance did not lead")
                    .tag(ROLE, role)
                    .register(registry);
            // Before the first one, or an alert on an increase would miss it.
            elected(role);
            for (Revocation reason : Revocation.values()) {
                revoked(role, reason);
            }
        }
    }

    private Counter elected(String role) {
        return Counter.builder("distributed.leader.elections")
                .description("Terms that this instance has begun")
                .tag(ROLE, role)
                .register(registry);
    }

    private Counter revoked(String role, Revocation reason) {
        return Counter.builder("distributed.leader.revocations")
                .description("Terms of this instance that have ended")
                .tag(ROLE, role)
                .tag("reason", reason.name().toLowerCase(Locale.ROOT))
                .register(registry);
    }

    @Override
    public void onElected(LeaderTerm term) {
        elected(term.role()).increment();
    }

    @Override
    public void onRevoked(LeaderTerm term, Revocation reason) {
        revoked(term.role(), reason).increment();
    }
}
