package io.distlock.spring;

import io.distlock.HeldLock;
import io.distlock.spring.execution.HeldLocks;
import java.util.Optional;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * Like {@link LockContext}, for code that runs inside a publisher: the locks are in the subscription's context, not on
 * the thread. They cannot be released here either.
 *
 * <pre>{@code
 * @DistributedLock(name = "stock", key = "#item")
 * public Mono<Void> reserve(String item) {
 *     return ReactiveLockContext.current().flatMap(lock -> repository.reserve(item, lock.fencingToken()));
 * }
 * }</pre>
 */
public final class ReactiveLockContext {

    private static final String CURE =
            ": it is in the Reactor context of what a @DistributedLock method returned that was"
                    + " called through its Spring bean. Keep what you subscribe to inside that publisher";

    private ReactiveLockContext() {}

    /** The innermost lock of the subscription; fails with an {@link IllegalStateException} if there is none. */
    public static Mono<HeldLock> current() {
        return found(HeldLocks::innermost, "no lock is held here");
    }

    /**
     * The innermost lock of this name, if it is still held; fails as {@link LockContext#requireHeld} does.
     */
    public static Mono<HeldLock> requireHeld(String name) {
        return found(held -> held.named(name), "no lock '" + name + "' is held here")
                .doOnNext(HeldLock::ensureHeld);
    }

    private static Mono<HeldLock> found(Function<HeldLocks, Optional<HeldLock>> lock, String otherwise) {
        return Mono.deferContextual(context -> HeldLocks.OfSubscription.current(context)
                .flatMap(lock)
                .map(Mono::just)
                .orElseGet(() -> Mono.error(() -> new IllegalStateException(otherwise + CURE))));
    }
}
