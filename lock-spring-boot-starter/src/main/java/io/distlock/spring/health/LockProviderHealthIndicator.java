package io.distlock.spring.health;

import io.distlock.spi.LockProvider;
import io.distlock.spi.ProviderStatus;
import io.distlock.support.Timeouts;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/** The health of one provider's store. Takes no lock; lasts no longer than three store calls. Thread-safe. */
record LockProviderHealthIndicator(LockProvider provider, Timeouts timeouts, Status degraded)
        implements HealthIndicator {

    private static final int CALLS = 3;

    @Override
    public Health health() {
        Duration limit = provider.callTimeout().multipliedBy(CALLS);
        try {
            return health(timeouts.within(limit, provider.check()).get());
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            return Health.unknown().withDetail("error", "interrupted").build();
        } catch (ExecutionException failure) {
            return Health.down()
                    .withDetail("error", String.valueOf(failure.getCause()))
                    .build();
        }
    }

    private Health health(ProviderStatus status) {
        Health.Builder health = switch (status.state()) {
            case UP -> Health.up();
            case DEGRADED -> Health.status(degraded).withDetail("degraded", true);
            case DOWN -> Health.down();
        };
        return health.withDetails(status.details()).build();
    }
}
