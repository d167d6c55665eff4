package io.distlock.spring.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockClient;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spring.LockClients;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.security.Principal;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/** Over HTTP it matters who asks. */
class LocksEndpointWebExtensionTests {

    private static final String ROLE = "LOCK_ADMIN";

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final LockClient client =
            LockClientBuilder.of(new InMemoryLockProvider(runtime), runtime).build();

    /** Somebody who has logged in, with a role or none. */
    private record Viewer(@Nullable String role) implements SecurityContext {

        @Override
        public Principal getPrincipal() {
            return () -> "somebody";
        }

        @Override
        public boolean isUserInRole(String asked) {
            return asked.equals(role);
        }
    }

    @BeforeEach
    void lock() {
        client.acquire(client.request("orders", "secret-42"));
    }

    private LocksEndpointWebExtension endpoint(Show show) {
        return new LocksEndpointWebExtension(new LocksEndpoint(
                new LockClients(List.of(client), "in-memory"),
                new RecentLosses(ticker),
                ticker,
                event -> {},
                new LocksEndpointProperties(show, Set.of(ROLE), false),
                List.of()));
    }

    private String all(Show show, SecurityContext viewer) {
        return endpoint(show).locks(viewer, null, null, null, null).toString();
    }

    private String one(Show show, SecurityContext viewer) {
        return String.valueOf(
                endpoint(show).lock(viewer, "in-memory", "orders:secret-42").getBody());
    }

    @Test
    void keysAreShownToNobodyIfNobodyMaySeeThem() {
        assertThat(all(Show.NEVER, new Viewer(ROLE))).contains("orders").doesNotContain("secret-42");
        assertThat(one(Show.NEVER, new Viewer(ROLE))).contains("orders").doesNotContain("secret-42");
    }

    @Test
    void keysAreShownOnlyToThoseWhoAreInTheRole() {
        for (SecurityContext stranger : List.of(SecurityContext.NONE, new Viewer(null), new Viewer("OTHER"))) {
            assertThat(all(Show.WHEN_AUTHORIZED, stranger)).contains("orders").doesNotContain("secret-42");
            assertThat(one(Show.WHEN_AUTHORIZED, stranger)).contains("orders").doesNotContain("secret-42");
        }
        assertThat(all(Show.WHEN_AUTHORIZED, new Viewer(ROLE))).contains("secret-42");
        assertThat(one(Show.WHEN_AUTHORIZED, new Viewer(ROLE))).contains("secret-42");
    }

    @Test
    void keysAreShownToEverybodyIfThatIsAskedFor() {
        assertThat(all(Show.ALWAYS, SecurityContext.NONE)).contains("secret-42");
    }
}
