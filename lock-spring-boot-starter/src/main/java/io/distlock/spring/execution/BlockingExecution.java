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
        try {
            return under(tasks, new Grants(), body);
        } catch (Refused refused) {
            // Here, where the locks that were had before it have been given back.
            return refused.answer();
        }
    }

    private @Nullable Object under(List<LockTask> tasks, Grants grants, CallContext.Body body) throws Throwable {
        Supplier<List<LockTask>> others = WaitBudget.afterFirst(tasks, ticker);
        return under(tasks.get(0), grants, () -> {
            List<LockTask> left = others.get();
            if (!left.isEmpty()) {
                return under(left, grants, body);
            }
            grants.keepIn(scopes.current());
            return body.run();
        });
    }

    private @Nullable Object under(LockTask task, Grants grants, CallContext.Body inside) throws Throwable {
        CallChain chain = CallContext.reachable();
        Optional<Stay> entered = chain.enter(task.client(), task.request());
        if (entered.isPresent()) {
            return within(entered.get(), chain, inside);
        }
        HeldLock lock = acquire(task);
        Stay stay = Hold.begin(task.client(), lock);
        grants.add(stay.hold());
        return within(stay, chain, watched(task.onLost(), lock, inside));
    }

    /** Of the acquisition alone: what the body throws must not be taken for a refusal, nor the reverse. */
    private static HeldLock acquire(LockTask task) {
        try {
            return task.client().acquire(task.request());
        } catch (LockNotAcquiredException | LockUnavailableException why) {
            throw new Refused(task, why);
        }
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
