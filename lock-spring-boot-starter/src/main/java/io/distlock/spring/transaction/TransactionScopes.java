package io.distlock.spring.transaction;

import io.distlock.LockException;
import io.distlock.spring.context.CallContext;
import io.distlock.spring.context.Hold;
import io.distlock.spring.context.OuterScope;
import io.distlock.spring.context.Stay;
import io.distlock.spring.execution.OuterScopes;
import java.util.List;
import java.util.Optional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Transactions that are bound to a thread, as what is around calls. Thread-safe. */
public final class TransactionScopes implements OuterScopes {

    @Override
    public OuterScope current() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()
                || !TransactionSynchronizationManager.isActualTransactionActive()) {
            return OuterScope.NONE;
        }
        return find().orElseGet(TransactionScopes::register).holds;
    }

    /** What the transaction on this thread keeps. */
    static List<Hold> kept() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                ? find().map(found -> found.holds.holds()).orElseGet(List::of)
                : List.of();
    }

    private static Optional<Completion> find() {
        return TransactionSynchronizationManager.getSynchronizations().stream()
                .filter(Completion.class::isInstance)
                .map(Completion.class::cast)
                .findFirst();
    }

    private static Completion register() {
        Completion completion = new Completion(new TransactionHolds());
        TransactionSynchronizationManager.registerSynchronization(completion);
        CallContext.enter(completion.holds);
        return completion;
    }

    /** After the commit or rollback itself; what others do after completion may come before this or after it. */
    private record Completion(TransactionHolds holds) implements TransactionSynchronization {

        @Override
        public void afterCompletion(int status) {
            CallContext.leave(holds);
            for (Stay stay : holds.complete()) {
                try {
                    stay.close();
                } catch (LockException | IllegalStateException notHeld) {
                    TransactionHolds.ignoreLoss(notHeld);
                }
            }
        }
    }
}
