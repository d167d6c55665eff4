package io.distlock.spring.context;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockException;
import io.distlock.LockKey;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lock and all that rely on it: the body that it was taken for, calls inside that body that outlive it, a
 * transaction around it. Given back when the last of them has left. Not for applications. Thread-safe.
 */
public final class Hold {

    private final LockClient client;
    private final HeldLock lock;
    private final HeldLock lent;

    /** In other holds, which give their locks back themselves; none if the lock is this one's own. */
    private final List<Stay> within;

    private final AtomicInteger stays = new AtomicInteger(1);

    private Hold(LockClient client, HeldLock lock, List<Stay> within) {
        this.client = client;
        this.lock = lock;
        this.lent = new LentLock(lock);
        this.within = within;
    }

    /** Over a lock that this client has just granted, and which becomes this hold's to give back. */
    public static Stay begin(LockClient client, HeldLock lock) {
        return new Stay(new Hold(client, lock, List.of()));
    }

    /** Over several holds of one client as over one; relies on them and gives nothing back itself. */
    static Stay across(LockClient client, List<Stay> within) {
        HeldLock joint = new JointLock(within.stream().map(Stay::lock).toList());
        return new Stay(new Hold(client, joint, List.copyOf(within)));
    }

    public LockClient client() {
        return client;
    }

    public HeldLock lock() {
        return lock;
    }

    /** The lock for whoever runs under it: the same each time, and not to be released. */
    HeldLock lent() {
        return lent;
    }

    /** One more that relies on the lock; empty if the last one has left already. */
    public Optional<Stay> enter() {
        int before = stays.getAndUpdate(count -> count == 0 ? 0 : count + 1);
        return before == 0 ? Optional.empty() : Optional.of(new Stay(this));
    }

    /**
     * One that relies on it leaves; the last one gives the lock back and waits for the answer.
     *
     * @throws io.distlock.LockLostException if the lock was lost
     */
    void leave() {
        if (stays.decrementAndGet() > 0) {
            lock.ensureHeld();
        } else if (within.isEmpty()) {
            lock.close();
        } else {
            closeAll();
        }
    }

    /** Each is ended, whatever the others say; the first failure is told. */
    private void closeAll() {
        RuntimeException first = null;
        for (Stay stay : within) {
            try {
                stay.close();
            } catch (LockException | IllegalStateException notHeld) {
                first = first == null ? notHeld : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /**
     * As {@link #leave()}, without waiting.
     *
     * @param end told once, with what throws if the lock was lost
     */
    void leave(Consumer<Runnable> end) {
        if (stays.decrementAndGet() > 0) {
            end.accept(lock::ensureHeld);
        } else if (within.isEmpty()) {
            // Once the answer is there, close() only tells it.
            lock.releaseAsync().whenComplete((release, failure) -> end.accept(lock::close));
        } else {
            var ends = within.stream().map(stay -> stay.closeAsync().toCompletableFuture());
            CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                    .whenComplete((all, failure) -> end.accept(() -> rethrow(failure)));
        }
    }

    private static void rethrow(@Nullable Throwable failure) {
        if (failure != null) {
            throw failure.getCause() instanceof RuntimeException notHeld ? notHeld : new CompletionException(failure);
        }
    }

    boolean isNamed(String name) {
        for (LockKey key : lock.keys()) {
            if (key.name().equals(name)) {
                return true;
            }
        }
        return false;
    }
}
