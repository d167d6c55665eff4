package io.distlock.test.application;

import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.HeldLockInfo;
import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.Fault;
import io.distlock.test.provider.FaultyLockProvider;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Acts as the other instances in an application's tests: holds locks elsewhere, refuses them, makes the store fail, and
 * takes a lock away in the middle of the work. Records what the application has locked. Thread-safe.
 *
 * <pre>{@code
 * HeldLock other = locks.holdElsewhere("orders", "42");
 * assertThatThrownBy(() -> shop.ship(42)).isInstanceOf(LockNotAcquiredException.class);
 * other.release();
 * shop.ship(42);
 * locks.assertThatLock("orders", "42").wasAcquired().isFree();
 * }</pre>
 */
public final class LockTester implements AutoCloseable {

    private static final Duration AT_ONCE = Duration.ofMillis(1);

    private final LockClient client;
    private final LockClient elsewhere;
    private final FaultyLockProvider provider;
    private final Duration patience;
    private final LockHistory history = new LockHistory();
    private final Queue<HeldLock> heldElsewhere = new ConcurrentLinkedQueue<>();

    /**
     * @param client the application's, which the application closes
     * @param provider the client's
     * @param runtime the client's
     */
    public LockTester(LockClient client, FaultyLockProvider provider, LockRuntime runtime) {
        this(client, provider, runtime, Duration.ofSeconds(3));
    }

    /**
     * @param patience how long an assertion waits for listeners to learn what it asserts
     */
    LockTester(LockClient client, FaultyLockProvider provider, LockRuntime runtime, Duration patience) {
        this.client = client;
        this.provider = provider;
        this.patience = patience;
        this.elsewhere = LockClientBuilder.of(provider.behind(), runtime)
                .instance("another-instance")
                .shutdownTimeout(Duration.ZERO)
                .build();
        client.addListener(history);
    }

    /** Like {@link #holdElsewhere(LockKey)}, for a lock without a key. */
    public HeldLock holdElsewhere(String name) {
        return holdElsewhere(LockKey.of(name));
    }

    /** Like {@link #holdElsewhere(LockKey)}. */
    public HeldLock holdElsewhere(String name, String key) {
        return holdElsewhere(LockKey.of(name, key));
    }

    /**
     * Holds a lock as another instance would, until it is released or the test ends. Calls of the application wait up to
     * their wait time.
     *
     * @throws io.distlock.LockNotAcquiredException if the application holds it already
     */
    public HeldLock holdElsewhere(LockKey key) {
        HeldLock held = elsewhere.acquire(
                elsewhere.request(key).withWaitTime(Duration.ZERO).withMaxHoldTime(LockOptions.MAX_HOLD));
        heldElsewhere.add(held);
        return held;
    }

    /** Like {@link #refuse(LockKey)}, for a lock without a key. */
    public void refuse(String name) {
        refuse(LockKey.of(name));
    }

    /** Like {@link #refuse(LockKey)}. */
    public void refuse(String name, String key) {
        refuse(LockKey.of(name, key));
    }

    /**
     * From now on, calls for a lock end at once, as if another instance had held it for their whole wait time. Calls that
     * queue behind a call of the application itself are not affected.
     */
    public void refuse(LockKey key) {
        provider.onAcquire(key, Fault.REFUSED);
    }

    /**
     * From now on, calls for any lock fail at once, as if the store did not answer, except for refused locks. So do
     * questions whether a lock is still current.
     */
    public void failStore() {
        provider.onAcquire(Fault.ERROR);
        provider.onIsCurrent(Fault.ERROR);
    }

    /** Like {@link #lose(LockKey)}, for a lock without a key. */
    public void lose(String name) {
        lose(LockKey.of(name));
    }

    /** Like {@link #lose(LockKey)}. */
    public void lose(String name, String key) {
        lose(LockKey.of(name, key));
    }

    /**
     * Takes a lock away from the application, which knows of the loss when this returns. Actions added with
     * {@link HeldLock#onLost}, and listeners added later, may still be running.
     *
     * @throws IllegalStateException if the application does not hold it
     */
    public void lose(LockKey key) {
        HeldLockInfo held = client.held()
                .filter(hold -> hold.key().equals(key))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalStateException("the lock '" + key + "' cannot be lost: it is not held here"));
        client.forceRelease(key, held.token());
        await().pollDelay(Duration.ZERO).pollInterval(AT_ONCE).until(() -> history.tellsOfTheLossOf(key, held.token()));
    }

    /** What the application has acquired since the test began, in order, repetitions included. */
    public List<LockKey> acquired() {
        return history.of(LockEvent.Acquired.class).stream()
                .map(LockEvent.Acquired::key)
                .toList();
    }

    /** Like {@link #assertThatLock(LockKey)}, for a lock without a key. */
    public LockAssert assertThatLock(String name) {
        return assertThatLock(LockKey.of(name));
    }

    /** Like {@link #assertThatLock(LockKey)}. */
    public LockAssert assertThatLock(String name, String key) {
        return assertThatLock(LockKey.of(name, key));
    }

    /** Assertions about a lock: what happened to it since the test began, and its state now. */
    public LockAssert assertThatLock(LockKey key) {
        return new LockAssert(key, client, history, patience);
    }

    /**
     * Releases the locks held elsewhere, repairs the store, and forgets what happened. Locks that the application itself
     * holds, or keeps for a minimum hold time, remain.
     */
    public void reset() {
        provider.heal();
        for (HeldLock next = heldElsewhere.poll(); next != null; next = heldElsewhere.poll()) {
            next.release();
        }
        history.forget();
    }

    @Override
    public void close() {
        reset();
        client.removeListener(history);
        elsewhere.close();
    }
}
