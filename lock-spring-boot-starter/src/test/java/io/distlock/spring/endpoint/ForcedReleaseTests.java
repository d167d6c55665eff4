package io.distlock.spring.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Taking a lock away over the endpoint. */
class ForcedReleaseTests extends LocksEndpointFixture {

    @Test
    void aLockIsTakenAwayByItsTokenAndThatIsAudited() {
        HeldLock held = other.acquire(now("orders", "42"));
        assertThat(release(endpoint, held.fencingToken().value()).getStatus()).isEqualTo(200);
        assertThat(client.inspect(LockKey.of("orders", "42"))).isEmpty();
        assertThat(published)
                .singleElement()
                .isInstanceOfSatisfying(
                        AuditApplicationEvent.class,
                        event -> assertThat(event.getAuditEvent()).satisfies(audit -> {
                            assertThat(audit.getType()).isEqualTo("LOCK_FORCE_RELEASE");
                            assertThat(audit.getData())
                                    .containsEntry("lock", "orders:42")
                                    .containsEntry("provider", "in-memory")
                                    .containsEntry("token", held.fencingToken().value())
                                    .containsEntry("release", "RELEASED");
                        }));
    }

    @Test
    void anAttemptWithAnotherTokenTakesNothingAwayAndIsAudited() {
        HeldLock held = client.acquire(now("orders", "42"));
        long another = held.fencingToken().value() + 1;
        assertThat(release(endpoint, another).getStatus()).isEqualTo(409);
        assertThat(held.isHeld()).isTrue();
        assertThat(published).hasSize(1);
    }

    @Test
    void ofTwoStoresThatHaveTheKeyOnlyTheOneThatIsNamedLosesItOrElseTheDefaultOne() {
        LockKey key = LockKey.of("orders", "42");
        LockClient another = another();
        LocksEndpoint both = endpoint(List.of(another, client), Show.ALWAYS, true);
        HeldLock first = client.acquire(now("orders", "42"));
        HeldLock second = another.acquire(now("orders", "42"));

        assertThat(release(both, "in-memory", first.fencingToken().value())).isEqualTo(200);
        assertThat(client.inspect(key)).isEmpty();
        assertThat(another.inspect(key)).isPresent();

        first = client.acquire(now("orders", "42"));
        assertThat(release(both, null, first.fencingToken().value())).isEqualTo(200);
        assertThat(client.inspect(key)).isEmpty();
        assertThat(another.inspect(key)).isPresent();

        client.acquire(now("orders", "42"));
        assertThat(release(both, "Another", second.fencingToken().value())).isEqualTo(200);
        assertThat(client.inspect(key)).isPresent();
        assertThat(another.inspect(key)).isEmpty();
    }

    private static int release(LocksEndpoint endpoint, @Nullable String provider, long token) {
        return endpoint.forceRelease(SecurityContext.NONE, "orders", "42", null, provider, token)
                .getStatus();
    }

    @Test
    void nothingIsTakenAwayUnlessThatIsAllowed() {
        HeldLock held = client.acquire(now("orders", "42"));
        assertThat(release(endpoint(Show.ALWAYS, false), held.fencingToken().value())
                        .getStatus())
                .isEqualTo(403);
        assertThat(held.isHeld()).isTrue();
    }

    private static WebEndpointResponse<OperationResponseBody> release(LocksEndpoint endpoint, long token) {
        return endpoint.forceRelease(SecurityContext.NONE, "orders", "42", null, null, token);
    }
}
