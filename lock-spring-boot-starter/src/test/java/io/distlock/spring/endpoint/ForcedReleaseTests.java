package io.distlock.spring.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.Release;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.Show;

/** Taking a lock away over the endpoint. */
class ForcedReleaseTests extends LocksEndpointFixture {

    @Test
    void aLockIsTakenAwayByItsTokenAndThatIsAudited() {
        HeldLock held = other.acquire(now("orders", "42"));
        LocksDescriptor.ForcedRelease answer = endpoint.forceRelease(
                "orders", "42", null, null, held.fencingToken().value());
        assertThat(answer.release()).isEqualTo(Release.RELEASED);
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
        assertThat(endpoint.forceRelease("orders", "42", null, null, another).release())
                .isEqualTo(Release.NOT_OWNER);
        assertThat(held.isHeld()).isTrue();
        assertThat(published).hasSize(1);
    }

    @Test
    void nothingIsTakenAwayUnlessThatIsAllowed() {
        HeldLock held = client.acquire(now("orders", "42"));
        assertThatExceptionOfType(InvalidEndpointRequestException.class)
                .isThrownBy(() -> endpoint(Show.ALWAYS, false)
                        .forceRelease(
                                "orders", "42", null, null, held.fencingToken().value()))
                .withMessageContaining("management.endpoint.locks.force-release");
        assertThat(held.isHeld()).isTrue();
    }
}
