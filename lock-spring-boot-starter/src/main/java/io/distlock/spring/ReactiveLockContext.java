package io.distlock.spring;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.spring.execution.HeldLocks;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import reactor.core.publisher.Mono;

/**
 * Like {@link LockContext}, but for code that runs inside a publisher: the locks are in the subscription's context, not on
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
            ": a lock is visible only inside the publisher of a @DistributedLock method that was called through its"
                    + " Spring bean. Make your publisher a part of that one";

    private ReactiveLockContext() {}

    /** Like {@link LockContext#current()}: the locks of the innermost locked publisher, as one. */
    public static Mono<HeldLock> current() {
        return found(HeldLocks::innermost, "no lock is held here");
    }

    /** Like {@link LockContext#all()}. */
    public static Mono<List<HeldLock>> all() {
        return Mono.deferContextual(context -> Mono.just(context.<HeldLocks>getOrEmpty(HeldLocks.class)
                .map(HeldLocks::all)
                .orElseGet(List::of)));
    }

    /** Like {@link LockContext#requireHeld(String)}. */
    public static Mono<HeldLock> requireHeld(String name) {
        return requireHeld(name, key -> key.name().equals(name));
    }

    /** Like {@link LockContext#requireHeld(String, String)}. */
    public static Mono<HeldLock> requireHeld(String name, String key) {
        LockKey wanted = LockKey.of(name, key);
        return requireHeld(wanted.text(), wanted::equals);
    }

    private static Mono<HeldLock> requireHeld(String what, Predicate<LockKey> key) {
        return found(held -> held.holding(key), "no lock '" + what + "' is held here")
                .doOnNext(HeldLock::ensureHeld);
    }

    private static Mono<HeldLock> found(Function<HeldLocks, Optional<HeldLock>> lock, String otherwise) {
        return Mono.deferContextual(context -> context.<HeldLocks>getOrEmpty(HeldLocks.class)
                .flatMap(lock)
                .map(Mono::just)
                .orElseGet(() -> Mono.error(() -> new IllegalStateException(otherwise + CURE))));
    }
}
