package io.distlock.spring.execution;

import java.util.Collection;
import java.util.List;
import reactor.core.publisher.Mono;

/** Surrounds calls, as a transaction does, and keeps their locks beyond their return. Thread-safe. */
public interface EnclosingScope {

    EnclosingScope NONE = lock -> {};

    /** Keeps a lock until the scope ends. No effect if it has ended. */
    void keep(ReferenceCountedLock lock);

    /** The locks it keeps now. */
    default List<ReferenceCountedLock> kept() {
        return List.of();
    }

    /** Finds the scope around a call on its thread. Thread-safe. */
    @FunctionalInterface
    interface Resolver {

        Resolver NONE = () -> EnclosingScope.NONE;

        EnclosingScope current();

        /** Whether a resource in its scopes refuses stale lock holders. */
        default boolean isFencing() {
            return false;
        }
    }

    /** Finds the scope around a subscription. Thread-safe. */
    @FunctionalInterface
    interface ReactiveResolver {

        /** From the subscription's context; {@link EnclosingScope#NONE} if there is none. */
        Mono<EnclosingScope> current();

        /** Shows the locks of a call, before its body, to the resources of the scope that refuse stale holders. */
        default Mono<Void> fence(Collection<ReferenceCountedLock> locks) {
            return Mono.empty();
        }

        /** Whether there is such a resource. */
        default boolean isFencing() {
            return false;
        }
    }
}
