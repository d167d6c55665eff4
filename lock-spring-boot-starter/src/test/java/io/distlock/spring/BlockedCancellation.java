package io.distlock.spring;

import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import java.util.concurrent.CountDownLatch;

/** The cancellation of a body that has lost its lock: it blocks until another loss has been told. */
public final class BlockedCancellation {

    private final LockClient client;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch toldOfTheOther = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);

    public BlockedCancellation(LockClient client) {
        this.client = client;
    }

    /** To be called by the body's cancellation. */
    public void block() {
        begun.countDown();
        try {
            end.await();
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }

    /** Takes the locks away, that of the body first. */
    public void holdsUpNoOtherLoss() {
        try {
            HeldLock other = client.acquire(client.request("other"));
            other.onLost(loss -> toldOfTheOther.countDown());
            client.held()
                    .filter(hold -> hold.key().equals(LockKey.of("job")))
                    .forEach(hold -> client.forceRelease(hold.key(), hold.token()));
            await().until(() -> begun.getCount() == 0);
            client.forceRelease(LockKey.of("other"), other.fencingToken());
            await().until(() -> toldOfTheOther.getCount() == 0);
        } finally {
            end.countDown();
        }
    }
}
