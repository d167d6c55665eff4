package io.distlock.spring.template;

import io.distlock.spring.execution.Executions;
import io.distlock.spring.execution.Executions.Body;
import io.distlock.spring.execution.LockTask;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The part of the template that needs Reactor, which is optional. */
final class Reactor {

    private Reactor() {}

    @SuppressWarnings("unchecked") // the result is what the body returned
    static <T> Mono<T> mono(Executions executions, List<LockTask> tasks, Supplier<Mono<T>> body) {
        return (Mono<T>) Mono.from(run(executions, Mono.class, tasks, body::get));
    }

    @SuppressWarnings("unchecked") // as above
    static <T> Flux<T> flux(Executions executions, List<LockTask> tasks, Supplier<Flux<T>> body) {
        return (Flux<T>) Flux.from(run(executions, Flux.class, tasks, body::get));
    }

    private static Publisher<?> run(Executions executions, Class<?> type, List<LockTask> tasks, Body body) {
        ReactiveAdapter adapter = Objects.requireNonNull(
                ReactiveAdapterRegistry.getSharedInstance().getAdapter(type));
        try {
            @Nullable Object publisher = executions.publisher(adapter).run(tasks, body);
            return (Publisher<?>) Objects.requireNonNull(publisher);
        } catch (Throwable refused) {
            return Mono.error(refused);
        }
    }
}
