package io.distlock.spring.endpoint;

import io.distlock.LockClient;
import io.distlock.LockRequest;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spring.LockClients;
import io.distlock.spring.endpoint.LocksReport.RecentLosses;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** The endpoint of one instance, and a client of another one on the same store. Time stands still. */
abstract class LocksEndpointFixture {

    final ManualTicker ticker = new ManualTicker();
    final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final InMemoryLockProvider store = new InMemoryLockProvider(runtime);
    final RecentLosses losses = new RecentLosses(ticker);
    final LockClient client = LockClientBuilder.of(store, runtime)
            .instance("orders@here")
            .callbackExecutor(Runnable::run)
            .listener(losses)
            .build();
    final LockClient other = LockClientBuilder.of(store, runtime)
            .instance("orders@elsewhere")
            .callbackExecutor(Runnable::run)
            .build();
    final List<Object> published = new ArrayList<>();
    final LocksEndpoint endpoint = endpoint(Show.ALWAYS, true);

    final LocksEndpoint endpoint(Show show, boolean forceRelease, SanitizingFunction... sanitizing) {
        return endpoint(List.of(client), show, forceRelease, sanitizing);
    }

    final LocksEndpoint endpoint(
            List<LockClient> clients, Show show, boolean forceRelease, SanitizingFunction... sanitizing) {
        return new LocksEndpoint(
                new LockClients(clients, "in-memory"),
                losses,
                published::add,
                new LocksEndpoint.Properties(show, Set.of(), forceRelease),
                List.of(sanitizing));
    }

    /** A second store of the same instance. Its name sorts before that of the first. */
    final LockClient another() {
        return LockClientBuilder.of(new FaultyLockProvider(new InMemoryLockProvider(runtime), "another"), runtime)
                .callbackExecutor(Runnable::run)
                .listener(losses)
                .build();
    }

    final LockRequest now(String name, String key) {
        return client.request(name, key).withWaitTime(Duration.ZERO);
    }

    final LocksDescriptor all() {
        return list(endpoint, null, null);
    }

    static LocksDescriptor list(LocksEndpoint endpoint, @Nullable String name, @Nullable String provider) {
        return (LocksDescriptor) body(endpoint.locks(SecurityContext.NONE, name, null, null, provider));
    }

    final LocksDescriptor.Inspection inspect(String name, String key) {
        return inspect(endpoint, name, key);
    }

    static LocksDescriptor.Inspection inspect(LocksEndpoint endpoint, String name, String key) {
        return (LocksDescriptor.Inspection) body(endpoint.locks(SecurityContext.NONE, name, key, null, null));
    }

    private static OperationResponseBody body(WebEndpointResponse<OperationResponseBody> answer) {
        return Objects.requireNonNull(answer.getBody());
    }
}
