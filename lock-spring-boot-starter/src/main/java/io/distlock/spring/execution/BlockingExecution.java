package io.distlock.spring.execution;

import io.distlock.HeldLock;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.spi.Ticker;
import io.distlock.spring.OnLost;
import io.distlock.spring.context.CallChain;
import io.distlock.spring.context.CallContext;
import io.distlock.spring.context.Hold;
import io.distlock.spring.context.Stay;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Bodies that are done when they return, on the thread that calls. */
public final class BlockingExecution implements Execution {

    private final OuterScopes scopes;
    private final Supplier<Ticker> ticker;

    BlockingExecution(OuterScopes scopes, Supplier<Ticker> ticker) {
        this.scopes = scopes;
        this.ticker = ticker;
    }

    @Override
    public @Nullable Object run(List<LockTask> tasks, CallContext.Body body) throws Throwable {
        CallContext.Body inside = WaitBudget.afterFirst(tasks, ticker, this, body);
        return run(tasks.get(0), inside);
    }

    private @Nullable Object run(LockTask task, CallContext.Body body) throws Throwable {
        CallChain chain = CallContext.reachable();
        Optional<Stay> inside = chain.enter(task.client(), task.request());
        if (inside.isPresent()) {
            return within(inside.get(), chain, body);
        }
        HeldLock lock;
        try {
            lock = task.client().acquire(task.request());
        } catch (LockNotAcquiredException | LockUnavailableException why) {
            // Of the acquisition alone: what the body throws must not be taken for this, nor the reverse.
            return task.refusal().answer(why);
        }
        Stay stay = Hold.begin(task.client(), lock);
        CallContext.Body watched = watched(task.onLost(), lock, body);
        return within(stay, chain, () -> {
            scopes.current().keep(stay.hold());
            return watched.run();
        });
    }

    /** Leaving ends the stay; a loss is thrown, or suppressed into what the body threw. */
    private static @Nullable Object within(Stay stay, CallChain outer, CallContext.Body body) throws Throwable {
        try (stay) {
            return CallContext.under(outer.with(stay.hold()), body);
        }
    }

    private static CallContext.Body watched(OnLost onLost, HeldLock lock, CallContext.Body body) {
        return switch (onLost) {
            case LEAVE_RUNNING -> body;
            case INTERRUPT -> () -> InterruptOnLoss.run(lock, body);
        };
    }
}
