package io.distlock.spring.execution;

import io.distlock.spring.context.OuterScope;
import reactor.core.publisher.Mono;

/** Finds what is around a subscription and needs the lock for longer. Thread-safe. */
@FunctionalInterface
public interface ReactiveOuterScopes {

    /** By the subscription's context; {@link OuterScope#NONE} if there is nothing. */
    Mono<OuterScope> current();
}
