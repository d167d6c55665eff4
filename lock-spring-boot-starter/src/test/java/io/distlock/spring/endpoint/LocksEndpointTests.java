package io.distlock.spring.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.HeldLockInfo;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.Ticker;
import io.distlock.spring.LockClients;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/** What the endpoint shows. */
class LocksEndpointTests extends LocksEndpointFixture {

    @Test
    void aLockThatIsHeldIsShown() {
        ticker.advance(Duration.ofHours(1));
        HeldLock held = client.acquire(now("orders", "42"));
        ticker.advance(Duration.ofSeconds(12));
        assertThat(all().held().total()).isEqualTo(1);
        assertThat(all().held().items()).singleElement().satisfies(item -> {
            assertThat(item.name()).isEqualTo("orders");
            assertThat(item.key()).isEqualTo("42");
            assertThat(item.provider()).isEqualTo("in-memory");
            assertThat(item.mode()).isEqualTo(LockMode.EXCLUSIVE);
            assertThat(item.token()).isEqualTo(held.fencingToken().value());
            assertThat(item.owner()).startsWith("orders@here~");
            assertThat(item.since()).isEqualTo(Instant.EPOCH.plus(Duration.ofHours(1)));
            assertThat(item.heldMillis()).isEqualTo(12_000);
            assertThat(item.remainingMillis())
                    .isEqualTo(held.remaining().toMillis())
                    .isPositive();
            assertThat(item.renewals()).isEqualTo(1);
            assertThat(item.thread()).isEqualTo(Thread.currentThread().getName());
        });
    }

    @Test
    void eachPermitThatIsHeldIsShownWithItsHolder() {
        HeldLock here = client.acquire(now("orders", "42").withPermits(3));
        HeldLock elsewhere = other.acquire(now("orders", "42").withPermits(3));
        assertThat(all().held().items())
                .extracting(LocksDescriptor.Held::name, LocksDescriptor.Held::permit)
                .containsExactly(tuple("orders", here.permit()));
        LocksDescriptor.Inspection shown = permits(3);
        assertThat(shown.held()).isTrue();
        assertThat(shown.holders())
                .extracting(LocksDescriptor.Holder::permit, LocksDescriptor.Holder::here, LocksDescriptor.Holder::token)
                .containsExactlyInAnyOrder(
                        tuple(here.permit(), true, here.fencingToken().value()),
                        tuple(
                                elsewhere.permit(),
                                false,
                                elsewhere.fencingToken().value()));
        assertThat(endpoint.locks(SecurityContext.NONE, "orders", "42", 65, null)
                        .getStatus())
                .isEqualTo(400);
    }

    private LocksDescriptor.Inspection permits(int permits) {
        return (LocksDescriptor.Inspection) endpoint.locks(SecurityContext.NONE, "orders", "42", permits, null)
                .getBody();
    }

    @Test
    void onePermitIsReleasedByForce() {
        HeldLock one = other.acquire(now("orders", "42").withPermits(2));
        HeldLock two = other.acquire(now("orders", "42").withPermits(2));
        HeldLock second = one.permit() == 2 ? one : two;
        long token = second.fencingToken().value();
        assertThat(force(null, token)).isEqualTo(409);
        assertThat(force(65, token)).isEqualTo(400);
        assertThat(force(2, token)).isEqualTo(200);
        assertThat(permits(2).holders())
                .extracting(LocksDescriptor.Holder::permit)
                .containsExactly(1);
    }

    private int force(@Nullable Integer permit, long token) {
        return endpoint.forceRelease(SecurityContext.NONE, "orders", "42", permit, null, token)
                .getStatus();
    }

    @Test
    void aCallThatWaitsIsShown() {
        other.acquire(now("orders", "42"));
        client.acquireAsync(client.request("orders", "42").withMode(LockMode.SHARED));
        ticker.advance(Duration.ofSeconds(2));
        assertThat(all().waiting().items())
                .containsExactly(new LocksDescriptor.Waiting(
                        "orders",
                        "42",
                        1,
                        "in-memory",
                        LockMode.SHARED,
                        Instant.EPOCH,
                        2_000,
                        3_000,
                        Thread.currentThread().getName()));
    }

    @Test
    void aLossIsShown() {
        HeldLock held = client.acquire(now("orders", "42").withRenew(false));
        ticker.advance(Duration.ofSeconds(29).plusMillis(698));
        await().until(() -> !all().losses().isEmpty());
        assertThat(all().losses())
                .containsExactly(new LocksDescriptor.Loss(
                        "orders",
                        "42",
                        "in-memory",
                        LockMode.EXCLUSIVE,
                        held.fencingToken().value(),
                        Instant.EPOCH.plusMillis(29_698),
                        29_698,
                        29_698,
                        LockLoss.Reason.EXPIRED));
    }

    @Test
    void ofLossesTheLatestHundredAreShownNewestFirst() {
        for (int key = 0; key < 150; key++) {
            client.acquire(now("orders", "" + key).withRenew(false));
            ticker.advance(Duration.ofSeconds(30));
        }
        await().untilAsserted(() ->
                assertThat(all().losses()).extracting(LocksDescriptor.Loss::key).startsWith("149"));
        assertThat(all().losses())
                .hasSize(100)
                .extracting(LocksDescriptor.Loss::key)
                .startsWith("149", "148")
                .endsWith("50");
    }

    @Test
    void ofManyThoseThatAreHeldLongestComeFirst() {
        for (int key = 0; key < 100; key++) {
            client.acquire(now("orders", "" + key));
            ticker.advance(Duration.ofMillis(1));
        }
        assertThat(all().held().total()).isEqualTo(100);
        assertThat(all().held().items())
                .extracting(LocksDescriptor.Held::key)
                .startsWith("0", "1")
                .endsWith("99");
    }

    @Test
    void ofTenThousandLocksOnlyAHundredAreDescribed() {
        for (int key = 0; key < 10_000; key++) {
            client.acquire(now("orders", "" + key));
        }
        List<SanitizableData> described = new ArrayList<>();
        LocksEndpoint counting = endpoint(Show.ALWAYS, false, data -> {
            described.add(data);
            return data;
        });
        LocksDescriptor.Longest<LocksDescriptor.Held> shown =
                list(counting, null, null).held();
        assertThat(shown.total()).isEqualTo(10_000);
        assertThat(shown.items()).hasSize(100);
        assertThat(described).hasSize(100);
    }

    @Test
    void onlyWhatIsAskedForIsShown() {
        client.acquire(now("orders", "42"));
        client.acquire(now("invoices", "42"));
        assertThat(list(endpoint, "orders", null).held().items())
                .extracting(LocksDescriptor.Held::name)
                .containsExactly("orders");
        assertThat(list(endpoint, "orders", "In-Memory").held().total()).isEqualTo(1);
    }

    @Test
    void ofAllListsOnlyTheNameThatIsAskedForIsShown() {
        other.acquire(now("orders", "1"));
        other.acquire(now("invoices", "1"));
        client.acquireAsync(client.request("orders", "1"));
        client.acquireAsync(client.request("invoices", "1"));
        client.acquire(now("orders", "2").withRenew(false));
        client.acquire(now("invoices", "2").withRenew(false));
        assertThat(list(endpoint, "orders", null).waiting().items())
                .extracting(LocksDescriptor.Waiting::name)
                .containsExactly("orders");
        ticker.advance(Duration.ofSeconds(31));
        await().until(() -> all().losses().size() == 2);
        assertThat(list(endpoint, "orders", null).losses())
                .extracting(LocksDescriptor.Loss::name)
                .containsExactly("orders");
    }

    @Test
    void ofAllListsOnlyTheStoreThatIsAskedForIsShown() {
        LockClient another = another();
        LocksEndpoint both = endpoint(List.of(another, client), Show.ALWAYS, false);
        for (LockClient each : List.of(another, client)) {
            each.acquire(now("orders", "1"));
            each.acquireAsync(each.request("orders", "1").withMode(LockMode.SHARED));
            each.acquire(now("orders", "2").withRenew(false).withLeaseTime(Duration.ofSeconds(1)));
        }
        ticker.advance(Duration.ofSeconds(2));
        await().until(() -> list(both, null, null).losses().size() == 2);
        for (String provider : List.of("another", "in-memory")) {
            LocksDescriptor shown = list(both, null, provider);
            assertThat(shown.held().items())
                    .extracting(LocksDescriptor.Held::provider)
                    .containsExactly(provider);
            assertThat(shown.waiting().items())
                    .extracting(LocksDescriptor.Waiting::provider)
                    .containsExactly(provider);
            assertThat(shown.losses())
                    .extracting(LocksDescriptor.Loss::provider)
                    .containsExactly(provider);
        }
    }

    @Test
    void ofCallsThatWaitThoseThatHaveWaitedLongestComeFirst() {
        for (String key : List.of("c", "a", "b")) {
            other.acquire(now("orders", key));
            client.acquireAsync(client.request("orders", key));
            ticker.advance(Duration.ofMillis(100));
        }
        assertThat(all().waiting().items())
                .extracting(LocksDescriptor.Waiting::key)
                .containsExactly("c", "a", "b");
    }

    @Test
    void aLossTellsTheTimeSinceTheLastRenewalToo() {
        client.acquire(now("orders", "42").withMaxHoldTime(Duration.ofMinutes(1)));
        ticker.advance(Duration.ofSeconds(61));
        await().until(() -> !all().losses().isEmpty());
        assertThat(all().losses())
                .singleElement()
                .satisfies(loss -> assertThat(loss.sinceRenewalMillis()).isLessThan(loss.heldMillis()));
    }

    @Test
    void theStoreTellsWhoHoldsALockWhicheverInstanceItIs() {
        HeldLock held = other.acquire(now("orders", "42"));
        client.acquireAsync(client.request("orders", "42"));
        LocksDescriptor.Inspection found = inspect("orders", "42");
        assertThat(found.held()).isTrue();
        assertThat(found.waiters()).isEqualTo(1);
        assertThat(found.holders()).singleElement().satisfies(holder -> {
            assertThat(holder.instance()).isEqualTo("orders@elsewhere");
            assertThat(holder.here()).isFalse();
            assertThat(holder.token()).isEqualTo(held.fencingToken().value());
            assertThat(holder.remainingMillis()).isEqualTo(30_000);
        });
    }

    @Test
    void whatIsHeldHereIsSaidToBe() {
        client.acquire(now("orders", "42"));
        assertThat(inspect("orders", "42").holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.here()).isTrue());
    }

    @Test
    void ofASharedLockOnlyTheHolderThatIsHereIsSaidToBe() {
        HeldLock here = client.acquire(now("orders", "42").withMode(LockMode.SHARED));
        HeldLock elsewhere = other.acquire(now("orders", "42").withMode(LockMode.SHARED));
        assertThat(inspect("orders", "42").holders())
                .extracting(LocksDescriptor.Holder::token, LocksDescriptor.Holder::here)
                .containsExactlyInAnyOrder(
                        tuple(here.fencingToken().value(), true),
                        tuple(elsewhere.fencingToken().value(), false));
    }

    @Test
    void aLockThatWasTakenAwayIsNotSaidToBeHereBeforeItsHolderHasHeard() {
        LockKey key = LockKey.of("orders", "42");
        HeldLock before = client.acquire(now("orders", "42"));
        other.forceRelease(key, before.fencingToken());
        HeldLock now = other.acquire(now("orders", "42"));
        assertThat(client.held().map(HeldLockInfo::key)).containsExactly(key);
        assertThat(inspect("orders", "42").holders())
                .extracting(LocksDescriptor.Holder::token, LocksDescriptor.Holder::here)
                .containsExactly(tuple(now.fencingToken().value(), false));
    }

    @Test
    void aLockThatNobodyHoldsIsNotHeld() {
        assertThat(inspect("orders", "42"))
                .isEqualTo(new LocksDescriptor.Inspection("orders", "42", "in-memory", false, null, List.of(), null));
    }

    @Test
    void anEmptyKeyIsTheNameAlone() {
        client.acquire(client.request("nightly"));
        assertThat(inspect("nightly", "").held()).isTrue();
        assertThat(inspect("nightly", "x").held()).isFalse();
    }

    @Test
    void timesDoNotMoveBetweenTwoAnswers() {
        LockRuntime jumping = new LockRuntime(
                new Ticker() {

                    private long nanos;

                    @Override
                    public long nanos() {
                        nanos += 777_777;
                        return nanos;
                    }

                    @Override
                    public long wallMillis() {
                        return ticker.wallMillis();
                    }
                },
                runtime.scheduler());
        LockClient measured =
                LockClientBuilder.of(new InMemoryLockProvider(jumping), jumping).build();
        measured.acquire(measured.request("orders"));
        measured.acquireAsync(measured.request("orders").withMode(LockMode.SHARED));
        LocksEndpoint shown = new LocksEndpoint(
                new LockClients(List.of(measured), "in-memory"),
                losses,
                published::add,
                new LocksEndpoint.Properties(Show.ALWAYS, Set.of(), false),
                List.of());
        LocksDescriptor first = list(shown, null, null);
        LocksDescriptor second = list(shown, null, null);
        assertThat(second.held().items())
                .extracting(LocksDescriptor.Held::since)
                .isEqualTo(List.of(first.held().items().get(0).since()));
        assertThat(second.waiting().items())
                .extracting(LocksDescriptor.Waiting::since)
                .isEqualTo(List.of(first.waiting().items().get(0).since()));
    }
}
