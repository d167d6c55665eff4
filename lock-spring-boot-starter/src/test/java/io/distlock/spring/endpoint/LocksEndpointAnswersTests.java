package io.distlock.spring.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.FencingToken;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockStatus;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spring.LockClients;
import io.distlock.spring.endpoint.LocksReport.RecentLosses;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Over HTTP it matters who asks. */
class LocksEndpointAnswersTests {

    private static final String ROLE = "LOCK_ADMIN";

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final FaultyLockProvider store = new FaultyLockProvider(new InMemoryLockProvider(runtime));
    private final LockClient client = LockClientBuilder.of(store, runtime).build();

    private final List<Object> published = new ArrayList<>();

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

    private LocksEndpoint endpoint(Show show) {
        return endpoint(show, false);
    }

    private LocksEndpoint endpoint(Show show, boolean forceRelease) {
        return new LocksEndpoint(
                new LockClients(List.of(client), "in-memory"),
                new RecentLosses(ticker),
                published::add,
                new LocksEndpoint.Properties(show, Set.of(ROLE), forceRelease),
                List.of());
    }

    private String all(Show show, SecurityContext viewer) {
        return String.valueOf(
                endpoint(show).locks(viewer, null, null, null, null).getBody());
    }

    private WebEndpointResponse<OperationResponseBody> get(
            @Nullable String name, @Nullable String key, @Nullable String provider) {
        return endpoint(Show.ALWAYS).locks(SecurityContext.NONE, name, key, null, provider);
    }

    private static void assertProblem(WebEndpointResponse<OperationResponseBody> answer, int status, String detail) {
        assertThat(answer.getStatus()).isEqualTo(status);
        assertThat(answer.getContentType()).hasToString("application/problem+json");
        assertThat(answer.getBody()).isInstanceOfSatisfying(LocksEndpoint.Problem.class, problem -> {
            assertThat(problem.status()).isEqualTo(status);
            assertThat(problem.detail()).contains(detail);
        });
    }

    private String one(Show show, SecurityContext viewer) {
        return String.valueOf(
                endpoint(show).locks(viewer, "orders", "secret-42", null, null).getBody());
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

    @Test
    void aFreeLockIsAnAnswerAndAnUnknownProviderIsNot() {
        WebEndpointResponse<OperationResponseBody> free = get("orders", "43", null);
        assertThat(free.getStatus()).isEqualTo(200);
        assertThat(free.getBody()).asString().contains("held=false");
        assertProblem(get("orders", "43", "etcd"), 404, "there is no lock provider 'etcd'; known providers: in-memory");
    }

    @Test
    void aBadRequestIsAProblemWithTheReason() {
        assertProblem(get(null, "43", null), 400, "the name and key of a lock");
        assertProblem(get("orders", " ", null), 400, "is blank");
    }

    @Test
    void whatTheProviderCannotDoIsAProblemWithTheReason() {
        LockClient unable = Mockito.mock(LockClient.class);
        Mockito.when(unable.provider()).thenReturn("unable");
        Mockito.when(unable.inspect(Mockito.any()))
                .thenThrow(new UnsupportedOperationException("the provider 'unable' cannot inspect"));
        LocksEndpoint endpoint = new LocksEndpoint(
                new LockClients(List.of(unable), "unable"),
                new RecentLosses(ticker),
                event -> {},
                new LocksEndpoint.Properties(Show.ALWAYS, Set.of(), false),
                List.of());
        assertProblem(
                endpoint.locks(SecurityContext.NONE, "orders", "42", null, null),
                501,
                "the provider 'unable' cannot inspect");
    }

    @Test
    void whatTheStoreDoesNotAnswerIsAProblemAndNoFreeOrReleasedLock() {
        LockKey key = LockKey.of("orders", "42");
        LockClient silent = Mockito.mock(LockClient.class);
        Mockito.when(silent.provider()).thenReturn("silent");
        Mockito.when(silent.inspect(key)).thenThrow(new LockUnavailableException(key, Duration.ZERO, "silent", null));
        Mockito.when(silent.forceRelease(key, new FencingToken(7))).thenReturn(Release.UNKNOWN);
        LocksEndpoint endpoint = new LocksEndpoint(
                new LockClients(List.of(silent), "silent"),
                new RecentLosses(ticker),
                published::add,
                new LocksEndpoint.Properties(Show.ALWAYS, Set.of(), true),
                List.of());
        assertProblem(endpoint.locks(SecurityContext.NONE, "orders", "42", null, null), 503, "did not answer");
        assertProblem(
                endpoint.forceRelease(SecurityContext.NONE, "orders", "42", null, null, 7L), 409, "inspect it again");
        assertThat(published)
                .singleElement()
                .isInstanceOfSatisfying(
                        AuditApplicationEvent.class,
                        event -> assertThat(event.getAuditEvent().getData()).containsEntry("release", "UNKNOWN"));
    }

    @Test
    void aForcedReleaseThatTakesNothingAwayIsAProblemWithTheReason() {
        assertProblem(
                endpoint(Show.ALWAYS).forceRelease(SecurityContext.NONE, "orders", "42", null, null, 1L),
                403,
                "management.endpoint.locks.force-release=true");
        LocksEndpoint allowed = endpoint(Show.ALWAYS, true);
        assertProblem(
                allowed.forceRelease(SecurityContext.NONE, "orders", "secret-42", null, null, null),
                400,
                "give the holder's token");
        assertProblem(
                allowed.forceRelease(SecurityContext.NONE, "orders", "secret-42", null, null, 0L),
                400,
                "give the holder's token");
        assertProblem(
                allowed.forceRelease(SecurityContext.NONE, "orders", "secret-42", null, null, 4711L),
                409,
                "nobody holds the lock with token 4711");
    }

    /** A call waits for each of the permits that it knows of, so the permits' waiters are mostly the same calls. */
    @Test
    void ofTheCallsThatWaitForPermitsThoseOfTheBusiestPermitAreCounted() {
        LockKey key = LockKey.of("orders", "42");
        LockClient client = Mockito.mock(LockClient.class);
        Mockito.when(client.provider()).thenReturn("in-memory");
        for (int permit = 1; permit <= 3; permit++) {
            LockKey its = key.permit(permit);
            Optional<Integer> waiters = permit == 1 ? Optional.empty() : Optional.of(permit == 2 ? 3 : 1);
            Mockito.when(client.inspect(its))
                    .thenReturn(Optional.of(new LockStatus(its, LockMode.EXCLUSIVE, List.of(), waiters)));
        }
        LocksReport report = new LocksReport(
                new LockClients(List.of(client), "in-memory"), new RecentLosses(ticker), new Sanitizer(List.of()));
        assertThat(report.inspect(client, key, 3, true).waiters()).isEqualTo(3);
        assertThat(report.inspect(client, key, 1, true).waiters()).isNull();
    }

    @Test
    void aSilentStoreIsAProblemAndTheAttemptIsAuditedWithWhoMadeIt() {
        store.onRelease(Fault.ERROR);
        assertProblem(
                endpoint(Show.ALWAYS, true).forceRelease(new Viewer(ROLE), "orders", "secret-42", null, null, 1L),
                503,
                "the store did not answer");
        assertThat(published).singleElement().isInstanceOfSatisfying(AuditApplicationEvent.class, event -> {
            assertThat(event.getAuditEvent().getPrincipal()).isEqualTo("somebody");
            assertThat(event.getAuditEvent().getData()).containsEntry("release", "UNKNOWN");
        });
    }
}
