package io.distlock.spring.execution;

import io.distlock.spring.context.OuterScope;

/** Finds what is around a call on its thread and needs the lock for longer. Thread-safe. */
@FunctionalInterface
public interface OuterScopes {

    /** There is never anything. */
    OuterScopes NONE = () -> OuterScope.NONE;

    /** Around the call on this thread. */
    OuterScope current();
}
