package io.distlock.spring.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.distlock.HeldLock;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.Show;

/** What the endpoint shows where keys may not be seen, or not by everybody. */
class HiddenKeysTests extends LocksEndpointFixture {

    @Test
    void aHiddenLockIsInspectedByTheIdFromTheList() {
        client.acquire(now("orders", "somebody"));
        other.acquire(now("orders", "somebody-else"));
        client.acquireAsync(client.request("orders", "somebody-else"));
        LocksEndpoint hiding = endpoint(Show.NEVER, false);
        String held = list(hiding, null, null, null, null).held().items().get(0).id();
        String waited =
                list(hiding, null, null, null, null).waiting().items().get(0).id();
        assertThat(held).isNotEqualTo(waited).matches("[0-9a-f]{16}");
        assertThat(inspect(hiding, held))
                .satisfies(found -> assertThat(found.key()).isEqualTo("******"))
                .satisfies(found -> assertThat(found.holders())
                        .singleElement()
                        .satisfies(holder -> assertThat(holder.here()).isTrue()));
        assertThat(inspect(hiding, waited).holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.here()).isFalse());
    }

    @Test
    void anIdIsTheSameInEachAnswerAndTellsNothingOfTheKey() {
        client.acquire(now("orders", "42"));
        assertThat(all().held().items()).isEqualTo(all().held().items());
        String here = all().held().items().get(0).id();
        String elsewhere = list(endpoint(Show.ALWAYS, false), null, null, null, null)
                .held()
                .items()
                .get(0)
                .id();
        assertThat(here).isNotEqualTo(elsewhere);
    }

    @Test
    void keysAreHiddenUnlessTheyMayBeShown() {
        client.acquire(now("orders", "somebody"));
        client.acquire(client.request("nightly"));
        LocksDescriptor shown = list(endpoint(Show.NEVER, false), null, null, null, null);
        assertThat(shown.held().items())
                .extracting(LocksDescriptor.Held::name, LocksDescriptor.Held::key)
                .containsExactlyInAnyOrder(tuple("orders", "******"), tuple("nightly", null));
        assertThat(shown.toString()).doesNotContain("somebody");
    }

    @Test
    void aLockWithoutAKeyHasNothingToHide() {
        HeldLock held = client.acquire(client.request("nightly"));
        LocksEndpoint hiding = endpoint(Show.NEVER, false);
        LocksDescriptor.Inspection found =
                (LocksDescriptor.Inspection) hiding.locks("nightly", "", null, null, null, null);
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
        assertThat(list(sanitized, null, null, null, null).held().items())
                .extracting(LocksDescriptor.Held::key)
                .containsExactlyInAnyOrder("***@example.com", "42");
    }

    @Test
    void aHiddenKeyIsNeitherAuditedNorFoundByTheTokenOfItsLock() {
        HeldLock held = client.acquire(now("orders", "somebody"));
        long token = held.fencingToken().value();
        LocksEndpoint hiding = endpoint(Show.NEVER, true);
        LocksDescriptor.Inspection byKey =
                (LocksDescriptor.Inspection) hiding.locks("orders", "somebody", null, null, null, null);
        assertThat(byKey.holders()).singleElement().satisfies(holder -> {
            assertThat(holder.token()).isNull();
            assertThat(holder.owner()).isEqualTo("******");
        });
        String id = list(hiding, null, null, null, null).held().items().get(0).id();
        assertThat(inspect(hiding, id).holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.token()).isEqualTo(token));
        hiding.forceRelease(null, null, null, id, token);
        assertThat(published)
                .singleElement()
                .isInstanceOfSatisfying(
                        AuditApplicationEvent.class,
                        event -> assertThat(event.getAuditEvent().getData()).containsEntry("lock", "orders:******"));
    }
}
