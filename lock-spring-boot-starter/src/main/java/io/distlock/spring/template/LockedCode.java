package io.distlock.spring.template;

import io.distlock.LockClient;
import io.distlock.LockException;
import io.distlock.LockMode;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockOptions;
import io.distlock.spring.LockClients;
import io.distlock.spring.OnLost;
import io.distlock.spring.execution.CanonicalOrder;
import io.distlock.spring.execution.Executions;
import io.distlock.spring.execution.LockTask;
import io.distlock.spring.execution.Refusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One lock or several, and how to take them; then what to do under them. Immutable: each refinement is a new one, and
 * concerns the lock that was named last. The body never runs without the lock.
 *
 * <p>A caller that does not get a lock sees a {@link LockNotAcquiredException}, or what it gives in place of the body;
 * a store that does not answer is always a {@link io.distlock.LockUnavailableException}, unless the replacement is for
 * {@linkplain #orElseIfUnavailable both}.
 */
public final class LockedCode {

    private final LockClients clients;
    private final Executions executions;
    private final List<LockTerms> terms;
    private final boolean replacesUnavailable;

    LockedCode(LockClients clients, Executions executions, List<LockTerms> terms) {
        this(clients, executions, terms, false);
    }

    private LockedCode(LockClients clients, Executions executions, List<LockTerms> terms, boolean replacesUnavailable) {
        this.clients = clients;
        this.executions = executions;
        this.terms = List.copyOf(terms);
        this.replacesUnavailable = replacesUnavailable;
    }

    // --- how to take the locks ---

    public LockedCode mode(LockMode mode) {
        return refined(last -> last.with(mode));
    }

    /**
     * Granted by another provider than the default one, with the options of that one's client where nothing else is
     * said, before or after.
     */
    public LockedCode provider(String provider) {
        LockClient client = clients.get(provider);
        return refined(last -> last.with(client));
    }

    public LockedCode waitTime(Duration waitTime) {
        return options(options -> options.withWaitTime(waitTime));
    }

    public LockedCode leaseTime(Duration leaseTime) {
        return options(options -> options.withLeaseTime(leaseTime));
    }

    /** All options at once, or those that have no method of their own here. */
    public LockedCode options(UnaryOperator<LockOptions> change) {
        return refined(last -> last.with(change));
    }

    public LockedCode onLost(OnLost onLost) {
        return refined(last -> last.with(onLost));
    }

    /** These locks as well; taken in canonical order, whatever the order here. All wait times count from the call. */
    public LockedCode and(LockedCode other) {
        List<LockTerms> all = new ArrayList<>(terms);
        all.addAll(other.terms);
        return new LockedCode(clients, executions, all, replacesUnavailable || other.replacesUnavailable);
    }

    /** A replacement of the body is also for a store that does not answer. */
    public LockedCode orElseIfUnavailable() {
        return new LockedCode(clients, executions, terms, true);
    }

    private LockedCode refined(UnaryOperator<LockTerms> change) {
        List<LockTerms> changed = new ArrayList<>(terms);
        changed.set(changed.size() - 1, change.apply(changed.get(changed.size() - 1)));
        return new LockedCode(clients, executions, changed, replacesUnavailable);
    }

    // --- what to do under them ---

    /** Runs the body and returns what it returns. */
    public <T extends @Nullable Object, X extends Exception> T call(LockedBody<T, X> body) throws X {
        return blocking(body, Refusal.THROW);
    }

    /** As {@link #call(LockedBody)}, with another's result for who does not get the lock. */
    public <T extends @Nullable Object, X extends Exception> T call(
            LockedBody<T, X> body, Function<LockException, T> orElse) throws X {
        return blocking(body, refusal(orElse));
    }

    /**
     * As {@link #call(LockedBody)}, empty for who does not get the lock.
     *
     * @throws IllegalStateException if the body gives null, which could not be told from a body that has not run
     */
    public <T, X extends Exception> Optional<T> tryCall(LockedBody<T, X> body) throws X {
        return blocking(() -> Optional.of(given(body.run())), refusal(why -> Optional.empty()));
    }

    private static <T> T given(@Nullable T result) {
        if (result == null) {
            throw new IllegalStateException("the body of tryCall has run and gave null, which could not be told from a"
                    + " body that has not run: use tryRun, or call with another's result for who does not get the"
                    + " lock");
        }
        return result;
    }

    public void run(Runnable body) {
        call(() -> {
            body.run();
            return true;
        });
    }

    /** Runs the body, or skips it; true if it has run. */
    public boolean tryRun(Runnable body) {
        return tryCall(() -> {
                    body.run();
                    return true;
                })
                .isPresent();
    }

    /** Asks for the lock now, calls the body when it is granted, and holds the lock until the body's future is done. */
    public <T extends @Nullable Object> CompletableFuture<T> future(Supplier<? extends CompletionStage<T>> body) {
        return completing(body, Refusal.THROW);
    }

    /** As {@link #future(Supplier)}, with another future for who does not get the lock. */
    public <T extends @Nullable Object> CompletableFuture<T> future(
            Supplier<? extends CompletionStage<T>> body, Function<LockException, ? extends CompletionStage<T>> orElse) {
        return completing(body, refusal(orElse));
    }

    /** Takes the lock on each subscription, calls the body then, and holds the lock until its end. */
    public <T> Mono<T> mono(Supplier<Mono<T>> body) {
        return Reactor.mono(executions, tasks(Refusal.THROW), body);
    }

    /** As {@link #mono(Supplier)}, with another's value for who does not get the lock. */
    public <T> Mono<T> mono(Supplier<Mono<T>> body, Function<LockException, Mono<T>> orElse) {
        return Reactor.mono(executions, tasks(refusal(orElse)), body);
    }

    /** As {@link #mono(Supplier)}, for several values. */
    public <T> Flux<T> flux(Supplier<Flux<T>> body) {
        return Reactor.flux(executions, tasks(Refusal.THROW), body);
    }

    /** As {@link #flux(Supplier)}, with others for who does not get the lock. */
    public <T> Flux<T> flux(Supplier<Flux<T>> body, Function<LockException, Flux<T>> orElse) {
        return Reactor.flux(executions, tasks(refusal(orElse)), body);
    }

    private List<LockTask> tasks(Refusal refusal) {
        return CanonicalOrder.of(terms.stream().map(each -> each.task(refusal)).toList());
    }

    private Refusal refusal(Function<LockException, ?> orElse) {
        return why -> {
            if (why instanceof LockNotAcquiredException || replacesUnavailable) {
                return orElse.apply(why);
            }
            throw why;
        };
    }

    // What comes out is what the body gave or threw, null only if its type has it.
    @SuppressWarnings({"unchecked", "NullAway"}) // as said
    private <T extends @Nullable Object, X extends Exception> T blocking(LockedBody<T, X> body, Refusal refusal)
            throws X {
        try {
            return (T) executions.blocking().run(tasks(refusal), body::run);
        } catch (RuntimeException | Error unchecked) {
            throw unchecked;
        } catch (Throwable ofTheBody) {
            throw (X) ofTheBody;
        }
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // as above
    private <T extends @Nullable Object> CompletableFuture<T> completing(
            Supplier<? extends CompletionStage<T>> body, Refusal refusal) {
        try {
            Object future = executions.future().run(tasks(refusal), body::get);
            return (CompletableFuture<T>) future;
        } catch (Throwable refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }
}
