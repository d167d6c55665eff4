package io.distlock.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.Release;
import io.distlock.etcd.TestClient;
import io.distlock.test.etcd.EtcdExtension;
import io.grpc.Context;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An application that serves gRPC itself: what it asks of etcd must not end with the call that it serves. */
class ClientInterceptorsTests {

    private static final LockKey SERVED = LockKey.of("orders", "served");
    private static final LockKey OTHER = LockKey.of("orders", "other");

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    @Test
    void aLockCanBeGivenBackAfterTheCallInWhichItWasTaken() {
        try (TestClient client = TestClient.of(etcd.server().endpoint());
                Context.CancellableContext call = Context.current().withCancellation()) {
            Context before = call.attach();
            try {
                HeldLock held = client.locks.acquire(client.locks.request(SERVED));
                call.cancel(null);
                assertThat(held.release()).isEqualTo(Release.RELEASED);
                assertThat(etcd.probe().keys("lock/orders:served/")).isEmpty();
            } finally {
                call.detach(before);
            }
        }
    }

    @Test
    void whoeverWaitsDoesNotDependOnTheCallOfWhoeverWaitedFirst() {
        long before = etcd.probe().rpcs().started("Watch");
        try (TestClient client = TestClient.of(etcd.server().endpoint());
                TestClient holder = TestClient.of(etcd.server().endpoint());
                HeldLock served = holder.locks.acquire(holder.locks.request(SERVED));
                HeldLock other = holder.locks.acquire(holder.locks.request(OTHER));
                Context.CancellableContext call = Context.current().withCancellation()) {
            Context outside = call.attach();
            CompletableFuture<HeldLock> first = waiting(client, SERVED);
            call.detach(outside);
            await().atMost(TestClient.PATIENCE).until(() -> holder.waiters(SERVED) == 1);
            CompletableFuture<HeldLock> second = waiting(client, OTHER);
            await().atMost(TestClient.PATIENCE).until(() -> holder.waiters(OTHER) == 1);
            // One of those who wait, and the holder's, which watches what it has held for a while.
            await().atMost(TestClient.PATIENCE).until(() -> etcd.probe().rpcs().started("Watch") == before + 2);
            call.cancel(null);
            other.release();
            TestClient.get(second).close();
            served.release();
            TestClient.get(first).close();
            assertThat(etcd.probe().rpcs().started("Watch")).isEqualTo(before + 2);
        }
    }

    private static CompletableFuture<HeldLock> waiting(TestClient client, LockKey key) {
        return client.locks.acquireAsync(client.locks.request(key).withWaitTime(TestClient.PATIENCE));
    }
}
