package io.distlock.spring.template;

import io.distlock.LockClient;
import io.distlock.LockException;
import io.distlock.LockMode;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.spring.DistributedLock.Fencing;
import io.distlock.spring.LockClients;
import io.distlock.spring.OnLost;
import io.distlock.spring.execution.BodyPolicy;
import io.distlock.spring.execution.Execution.Body;
import io.distlock.spring.execution.Executions;
import io.distlock.spring.execution.LockTask;
import io.distlock.spring.execution.NotAcquiredHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One lock or several, how to take them, and what to do under them. Immutable: each refinement returns a new
 * specification and applies to the lock named last. The body never runs without the lock.
 *
 * <p>If a lock is not acquired, the caller gets a {@link LockNotAcquiredException} or the result of the replacement it
 * passed. If the store does not answer, it always gets a {@link io.distlock.LockUnavailableException}, unless the
 * replacement is for {@linkplain #orElseIfUnavailable both}.
 */
public final class LockSpec {

    private final LockClients clients;
    private final Executions executions;
    private final List<Terms> terms;
    private final boolean replacesUnavailable;

    LockSpec(LockClients clients, Executions executions, List<Terms> terms, boolean replacesUnavailable) {
        this.clients = clients;
        this.executions = executions;
        this.terms = List.copyOf(terms);
        this.replacesUnavailable = replacesUnavailable;
    }

    /**
     * Code that runs under a lock.
     *
     * @param <T> the result
     * @param <X> the checked exception it may throw
     */
    @FunctionalInterface
    public interface Callback<T extends @Nullable Object, X extends Exception> {

        T run() throws X;
    }

    public LockSpec mode(LockMode mode) {
        return refined(last -> last.with(mode));
    }

    /**
     * Takes any one of so many permits of the only key, over all instances.
     *
     * @throws IllegalArgumentException if it is not 1 to 64, the lock is shared, or it has several keys
     * @see io.distlock.spring.DistributedLock#permits()
     */
    public LockSpec permits(int permits) {
        return refined(last -> last.with(permits));
    }

    /** The provider, if not the default one. Options that are not set, before or after this call, come from its client. */
    public LockSpec provider(String provider) {
        LockClient client = clients.get(provider);
        return refined(last -> last.with(client));
    }

    public LockSpec waitTime(Duration waitTime) {
        return options(options -> options.withWaitTime(waitTime));
    }

    public LockSpec leaseTime(Duration leaseTime) {
        return options(options -> options.withLeaseTime(leaseTime));
    }

    /** Sets all options at once, or those that have no method of their own here. */
    public LockSpec options(UnaryOperator<LockOptions> change) {
        return refined(last -> last.with(change));
    }

    public LockSpec onLost(OnLost onLost) {
        return refined(last -> last.with(onLost));
    }

    /**
     * Whether transactions under the lock are refused once a later holder has written. Those of a {@link #future} only if
     * they begin on the thread that calls its body; of a {@link #mono} or {@link #flux}, only reactive ones.
     *
     * @throws IllegalStateException if it must be {@linkplain Fencing#ON on} but no resource fences. If none
     *     fences the transactions of a body, the method that takes the body throws it
     */
    public LockSpec fencing(Fencing fencing) {
        if (fencing == Fencing.ON && !executions.isFencing(true)) {
            executions.requireFence(false);
        }
        return refined(last -> last.with(fencing));
    }

    /** Also takes these locks, in canonical order, not in the order given here. All wait times count from the call. */
    public LockSpec and(LockSpec other) {
        List<Terms> all = new ArrayList<>(terms);
        all.addAll(other.terms);
        return new LockSpec(clients, executions, all, replacesUnavailable || other.replacesUnavailable);
    }

    /** Also uses the body's replacement when the store does not answer. */
    public LockSpec orElseIfUnavailable() {
        return new LockSpec(clients, executions, terms, true);
    }

    private LockSpec refined(UnaryOperator<Terms> change) {
        List<Terms> changed = new ArrayList<>(terms);
        changed.set(changed.size() - 1, change.apply(changed.get(changed.size() - 1)));
        return new LockSpec(clients, executions, changed, replacesUnavailable);
    }

    /** Runs the body and returns what it returns. */
    public <T extends @Nullable Object, X extends Exception> T call(Callback<T, X> body) throws X {
        return blocking(body, NotAcquiredHandler.THROW);
    }

    /** Like {@link #call(Callback)}, with a replacement if the lock is not acquired. */
    public <T extends @Nullable Object, X extends Exception> T call(
            Callback<T, X> body, Function<LockException, T> orElse) throws X {
        return blocking(body, handler(orElse));
    }

    /**
     * Like {@link #call(Callback)}, but empty if not acquired.
     *
     * @throws IllegalStateException if the body returns null, which looks the same as a body that did not run
     */
    public <T, X extends Exception> Optional<T> tryCall(Callback<T, X> body) throws X {
        return call(() -> Optional.of(given(body.run())), why -> Optional.empty());
    }

    private static <T> T given(@Nullable T result) {
        if (result == null) {
            throw new IllegalStateException("the body of tryCall has returned null, which looks the same as a body that"
                    + " has not run: use tryRun, or call with a replacement for the body");
        }
        return result;
    }

    public void run(Runnable body) {
        call(() -> {
            body.run();
            return true;
        });
    }

    /** Runs the body if the lock is acquired; returns whether it ran. */
    public boolean tryRun(Runnable body) {
        return call(
                () -> {
                    body.run();
                    return true;
                },
                why -> false);
    }

    /** Requests the lock now, calls the body once it is granted, and holds the lock until the body's future is done. */
    public <T extends @Nullable Object> CompletableFuture<T> future(Supplier<? extends CompletionStage<T>> body) {
        return completing(body, NotAcquiredHandler.THROW);
    }

    /** Like {@link #future(Supplier)}, with a replacement if the lock is not acquired. */
    public <T extends @Nullable Object> CompletableFuture<T> future(
            Supplier<? extends CompletionStage<T>> body, Function<LockException, ? extends CompletionStage<T>> orElse) {
        return completing(body, handler(orElse));
    }

    /** Takes the lock on each subscription, then calls the body, and holds the lock until the subscription ends. */
    public <T> Mono<T> mono(Supplier<Mono<T>> body) {
        return Mono.from(Reactor.publisher(Mono.class, this, NotAcquiredHandler.THROW, body::get));
    }

    /** Like {@link #mono(Supplier)}, with a replacement if the lock is not acquired. */
    public <T> Mono<T> mono(Supplier<Mono<T>> body, Function<LockException, Mono<T>> orElse) {
        return Mono.from(Reactor.publisher(Mono.class, this, handler(orElse), body::get));
    }

    /** Like {@link #mono(Supplier)}, for many values. */
    public <T> Flux<T> flux(Supplier<Flux<T>> body) {
        return Flux.from(Reactor.publisher(Flux.class, this, NotAcquiredHandler.THROW, body::get));
    }

    /** Like {@link #flux(Supplier)}, with a replacement if the lock is not acquired. */
    public <T> Flux<T> flux(Supplier<Flux<T>> body, Function<LockException, Flux<T>> orElse) {
        return Flux.from(Reactor.publisher(Flux.class, this, handler(orElse), body::get));
    }

    private List<LockTask> tasks(boolean reactive, NotAcquiredHandler handler) {
        if (terms.stream().anyMatch(Terms::mustBeFenced)) {
            executions.requireFence(reactive);
        }
        return LockTask.ordered(terms.stream().map(each -> each.task(handler)).toList());
    }

    private NotAcquiredHandler handler(Function<LockException, ?> orElse) {
        return why -> {
            if (replacesUnavailable || why instanceof LockNotAcquiredException) {
                return orElse.apply(why);
            }
            throw why;
        };
    }

    // Returns or throws what the body did, null only if its type allows it.
    @SuppressWarnings({"unchecked", "NullAway"}) // as above
    private <T extends @Nullable Object, X extends Exception> T blocking(
            Callback<T, X> body, NotAcquiredHandler handler) throws X {
        try {
            return (T) executions.blocking().run(tasks(false, handler), body::run);
        } catch (RuntimeException | Error unchecked) {
            throw unchecked;
        } catch (Throwable ofTheBody) {
            throw (X) ofTheBody;
        }
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // as above
    private <T extends @Nullable Object> CompletableFuture<T> completing(
            Supplier<? extends CompletionStage<T>> body, NotAcquiredHandler handler) {
        try {
            return (CompletableFuture<T>) executions.future().run(tasks(false, handler), body::get);
        } catch (Throwable refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /** Apart, since Reactor is optional. */
    private static final class Reactor {

        @SuppressWarnings("unchecked") // the result is what the body returned
        static <T> Publisher<T> publisher(Class<?> type, LockSpec spec, NotAcquiredHandler handler, Body body) {
            ReactiveAdapter adapter = Objects.requireNonNull(
                    ReactiveAdapterRegistry.getSharedInstance().getAdapter(type));
            List<LockTask> tasks = spec.tasks(true, handler);
            try {
                @Nullable Object publisher = spec.executions.publisher(adapter).run(tasks, body);
                return (Publisher<T>) Objects.requireNonNull(publisher);
            } catch (Throwable refused) {
                return Mono.error(refused);
            }
        }
    }

    /**
     * One lock and how to take it.
     *
     * @param change makes the request's options from those of the client
     * @param mustBeFenced fails without a resource that refuses stale holders
     */
    record Terms(
            LockClient client,
            LockRequest request,
            UnaryOperator<LockOptions> change,
            BodyPolicy policy,
            boolean mustBeFenced) {

        static Terms of(LockClient client, LockRequest request) {
            return new Terms(client, request, UnaryOperator.identity(), BodyPolicy.DEFAULT, false);
        }

        /** For another client, whose options apply if none were set. */
        Terms with(LockClient another) {
            LockRequest changed = request.withOptions(change.apply(another.options()));
            return new Terms(another, changed, change, policy, mustBeFenced);
        }

        Terms with(UnaryOperator<LockOptions> next) {
            LockRequest changed = request.withOptions(next.apply(request.options()));
            return new Terms(client, changed, options -> next.apply(change.apply(options)), policy, mustBeFenced);
        }

        Terms with(LockMode mode) {
            return new Terms(client, request.withMode(mode), change, policy, mustBeFenced);
        }

        Terms with(int permits) {
            return new Terms(client, request.withPermits(permits), change, policy, mustBeFenced);
        }

        Terms with(OnLost onLost) {
            BodyPolicy changed = policy.withInterruptOnLoss(onLost == OnLost.INTERRUPT);
            return new Terms(client, request, change, changed, mustBeFenced);
        }

        Terms with(Fencing fencing) {
            BodyPolicy changed = policy.withFenced(fencing != Fencing.OFF);
            return new Terms(client, request, change, changed, fencing == Fencing.ON);
        }

        LockTask task(NotAcquiredHandler handler) {
            return new LockTask(client, request, policy, handler);
        }
    }
}
