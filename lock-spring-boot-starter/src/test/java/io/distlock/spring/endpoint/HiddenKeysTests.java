package io.distlock.spring.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.distlock.HeldLock;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/** What the endpoint shows where keys may not be seen, or not by everybody. */
class HiddenKeysTests extends LocksEndpointFixture {

    @Test
    void keysAreHiddenUnlessTheyMayBeShown() {
        client.acquire(now("orders", "somebody"));
        client.acquire(client.request("nightly"));
        LocksDescriptor shown = list(endpoint(Show.NEVER, false), null, null);
        assertThat(shown.held().items())
                .extracting(LocksDescriptor.Held::name, LocksDescriptor.Held::key)
                .containsExactlyInAnyOrder(tuple("orders", "******"), tuple("nightly", null));
        assertThat(shown.toString()).doesNotContain("somebody");
    }

    @Test
    void aLockWithoutAKeyHasNothingToHide() {
        HeldLock held = client.acquire(client.request("nightly"));
        LocksEndpoint hiding = endpoint(Show.NEVER, false);
        LocksDescriptor.Inspection found = inspect(hiding, "nightly", "");
        assertThat(found.holders())
                .singleElement()
                .satisfies(holder ->
                        assertThat(holder.token()).isEqualTo(held.fencingToken().value()))
                .satisfies(holder -> assertThat(holder.owner()).isNotEqualTo("******"));
    }

    @Test
    void aSanitizingFunctionIsAskedWithNameAndKey() {
        client.acquire(now("mail", "somebody@example.com"));
        client.acquire(now("orders", "42"));
        LocksEndpoint sanitized = endpoint(
                Show.ALWAYS, false, data -> data.getKey().equals("mail") ? data.withValue("***@example.com") : data);
        assertThat(list(sanitized, null, null).held().items())
                .extracting(LocksDescriptor.Held::key)
                .containsExactlyInAnyOrder("***@example.com", "42");
    }

    /** The log of audit events is read by others than the user who made the request. */
    @Test
    void aKeyThatOnlySomeMaySeeIsNotAudited() {
        HeldLock held = client.acquire(now("orders", "somebody"));
        endpoint(Show.WHEN_AUTHORIZED, true)
                .forceRelease(
                        SecurityContext.NONE,
                        "orders",
                        "somebody",
                        null,
                        null,
                        held.fencingToken().value());
        assertThat(held.isHeld()).isFalse();
        assertThat(published)
                .singleElement()
                .isInstanceOfSatisfying(
                        AuditApplicationEvent.class,
                        event -> assertThat(event.getAuditEvent().getData()).containsEntry("lock", "orders:******"));
    }

    @Test
    void aHiddenKeyIsNeitherAuditedNorFoundByTheTokenOfItsLock() {
        HeldLock held = client.acquire(now("orders", "somebody"));
        long token = held.fencingToken().value();
        LocksEndpoint hiding = endpoint(Show.NEVER, true);
        LocksDescriptor.Inspection byKey = inspect(hiding, "orders", "somebody");
        assertThat(byKey.holders()).singleElement().satisfies(holder -> {
            assertThat(holder.token()).isNull();
            assertThat(holder.owner()).isEqualTo("******");
        });
        hiding.forceRelease(SecurityContext.NONE, "orders", "somebody", null, null, token);
        assertThat(published)
                .singleElement()
                .isInstanceOfSatisfying(
                        AuditApplicationEvent.class,
                        event -> assertThat(event.getAuditEvent().getData()).containsEntry("lock", "orders:******"));
    }
}
