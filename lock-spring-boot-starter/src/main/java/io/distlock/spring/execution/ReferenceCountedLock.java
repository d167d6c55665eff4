package io.distlock.spring.execution;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockException;
import io.distlock.engine.CompositeHeldLock;
import io.distlock.engine.LockClientBuilder;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is released with its last reference: held by the body it was taken for, by calls inside that body,
 * which may outlive it, or by a transaction around it. Not for applications. Thread-safe.
 */
public final class ReferenceCountedLock {

    /** For dependents of the loss of several locks: like the clients' default executors. */
    private static final Executor CALLBACKS = LockClientBuilder.defaultCallbackExecutor();

    private final LockClient client;
    private final HeldLock lock;
    private final HeldLock unreleasable;

    /** References to other counted locks, which release themselves; empty if this object owns its lock. */
    private final List<Reference> parts;

    private final AtomicInteger references = new AtomicInteger(1);

    private ReferenceCountedLock(LockClient client, HeldLock lock, List<Reference> parts) {
        this.client = client;
        this.lock = lock;
        this.unreleasable = new UnreleasableLock(lock);
        this.parts = parts;
    }

    /** The first reference to a lock that this client has just granted. */
    static Reference first(LockClient client, HeldLock lock) {
        return new Reference(new ReferenceCountedLock(client, lock, List.of()), true);
    }

    /** One reference to several locks of one client. */
    static Reference composite(LockClient client, List<Reference> parts) {
        HeldLock joint =
                CompositeHeldLock.of(parts.stream().map(Reference::lock).toList(), CALLBACKS);
        return new Reference(new ReferenceCountedLock(client, joint, List.copyOf(parts)), false);
    }

    /** These locks as one, which cannot be released. */
    static HeldLock joint(List<ReferenceCountedLock> locks) {
        return new UnreleasableLock(CompositeHeldLock.of(
                locks.stream().map(ReferenceCountedLock::lock).toList(), CALLBACKS));
    }

    /** Whether it only joins other counted locks. */
    boolean isJoint() {
        return !parts.isEmpty();
    }

    public LockClient client() {
        return client;
    }

    public HeldLock lock() {
        return lock;
    }

    /** The lock as its body sees it: always the same object, which refuses to be released. */
    HeldLock unreleasable() {
        return unreleasable;
    }

    /** One more reference; empty if the last one was already closed. */
    public Optional<Reference> addReference() {
        int before = references.getAndUpdate(count -> count == 0 ? 0 : count + 1);
        return before == 0 ? Optional.empty() : Optional.of(new Reference(this, false));
    }

    private void drop() {
        if (references.decrementAndGet() > 0) {
            lock.ensureHeld();
        } else if (parts.isEmpty()) {
            lock.close();
        } else {
            closeAll();
        }
    }

    /** Closes every part, even if others fail; throws the first failure. */
    private void closeAll() {
        RuntimeException first = null;
        for (Reference reference : parts) {
            try {
                reference.close();
            } catch (LockException | IllegalStateException notHeld) {
                first = first == null ? notHeld : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /**
     * @param end called once, with an action that throws if the lock was lost
     */
    private void drop(Consumer<Runnable> end) {
        if (references.decrementAndGet() > 0) {
            end.accept(lock::ensureHeld);
        } else if (parts.isEmpty()) {
            // Once answered, close() only throws the loss.
            lock.releaseAsync().whenComplete((release, failure) -> end.accept(lock::close));
        } else {
            var ends = parts.stream().map(reference -> reference.closeAsync().toCompletableFuture());
            CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                    .whenComplete((all, failure) -> end.accept(() -> rethrow(failure)));
        }
    }

    private static void rethrow(@Nullable Throwable failure) {
        if (failure != null) {
            throw failure.getCause() instanceof RuntimeException notHeld ? notHeld : new CompletionException(failure);
        }
    }

    /** A counted reference to a lock. Closing is idempotent, and reports whether the lock was lost. */
    public static final class Reference implements AutoCloseable {

        private final ReferenceCountedLock target;
        private final boolean outermost;
        private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> end = new AtomicReference<>();

        private Reference(ReferenceCountedLock target, boolean outermost) {
            this.target = target;
            this.outermost = outermost;
        }

        /** Whether the lock was taken for the owner of this reference and not for a call around it. */
        boolean isOutermost() {
            return outermost;
        }

        public ReferenceCountedLock target() {
            return target;
        }

        public HeldLock lock() {
            return target.lock();
        }

        /**
         * Drops the reference; the last one releases the lock and waits for the answer. Idempotent.
         *
         * @throws io.distlock.LockLostException if the lock was lost
         */
        @Override
        public void close() {
            CompletableFuture<@Nullable Void> mine = new CompletableFuture<>();
            if (end.compareAndSet(null, mine)) {
                try {
                    target.drop();
                    mine.complete(null);
                } catch (LockException | IllegalStateException notHeld) {
                    mine.completeExceptionally(notHeld);
                    throw notHeld;
                }
            }
        }

        /** As {@link #close()}, without waiting; a second call returns the same answer. */
        public CompletionStage<@Nullable Void> closeAsync() {
            CompletableFuture<@Nullable Void> mine = new CompletableFuture<>();
            CompletableFuture<@Nullable Void> earlier = end.compareAndExchange(null, mine);
            if (earlier != null) {
                return earlier;
            }
            target.drop(outcome -> finish(mine, outcome));
            return mine;
        }

        private static void finish(CompletableFuture<@Nullable Void> end, Runnable outcome) {
            try {
                outcome.run();
                end.complete(null);
            } catch (LockException | IllegalStateException notHeld) {
                end.completeExceptionally(notHeld);
            }
        }
    }
}
