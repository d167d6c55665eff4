package io.distlock.spring.execution;

import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/** Something around calls that keeps their locks for longer than they do, such as a transaction. Thread-safe. */
public interface EnclosingScope {

    /** Keeps nothing. */
    EnclosingScope NONE = new EnclosingScope() {
        @Override
        public void keep(ReferenceCountedLock lock) {}

        @Override
        public List<ReferenceCountedLock> kept() {
            return List.of();
        }
    };

    /** Keeps a lock until the scope ends. No effect if it has ended. */
    void keep(ReferenceCountedLock lock);

    /** The locks it keeps now. */
    List<ReferenceCountedLock> kept();

    /** Finds the scope around a call on its thread. Thread-safe. */
    @FunctionalInterface
    interface Resolver {

        /** Finds none. */
        Resolver NONE = () -> EnclosingScope.NONE;

        /** The scope around the call on this thread. */
        EnclosingScope current();
    }

    /** Finds the scope around a subscription. Thread-safe. */
    @FunctionalInterface
    interface ReactiveResolver {

        /** By the context of the subscription; {@link EnclosingScope#NONE} if there is none. */
        Mono<EnclosingScope> current();
    }

    /**
     * The locks that one call has been granted so far. The scope around the call keeps them all or, if a later lock is
     * not acquired, none. For the steps of one call, which follow one another.
     */
    final class Grants {

        private final List<ReferenceCountedLock> locks = new ArrayList<>();

        Grants() {}

        /** Adds a lock that was taken for this call and not for one around it. */
        void add(ReferenceCountedLock lock) {
            locks.add(lock);
        }

        /** Lets the scope keep them, once all are there. */
        void keepIn(EnclosingScope scope) {
            locks.forEach(scope::keep);
        }
    }
}
