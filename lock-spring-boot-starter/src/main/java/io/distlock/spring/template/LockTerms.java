package io.distlock.spring.template;

import io.distlock.LockClient;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.spring.OnLost;
import io.distlock.spring.execution.LockTask;
import io.distlock.spring.execution.Refusal;
import java.util.function.UnaryOperator;

/**
 * One lock as it is to be taken, without what becomes of whoever does not get it.
 *
 * @param client grants it
 * @param request what to ask for
 * @param change what makes the request's options of the client's own
 * @param onLost what becomes of the body if the lock is lost
 */
record LockTerms(LockClient client, LockRequest request, UnaryOperator<LockOptions> change, OnLost onLost) {

    static LockTerms of(LockClient client, LockRequest request) {
        return new LockTerms(client, request, UnaryOperator.identity(), OnLost.LEAVE_RUNNING);
    }

    /** Granted by another, with its own options where nothing has been said otherwise. */
    LockTerms with(LockClient another) {
        return new LockTerms(another, request.withOptions(change.apply(another.options())), change, onLost);
    }

    LockTerms with(UnaryOperator<LockOptions> next) {
        LockRequest changed = request.withOptions(next.apply(request.options()));
        return new LockTerms(client, changed, options -> next.apply(change.apply(options)), onLost);
    }

    LockTerms with(LockMode mode) {
        return new LockTerms(client, request.withMode(mode), change, onLost);
    }

    LockTerms with(OnLost changed) {
        return new LockTerms(client, request, change, changed);
    }

    LockTask task(Refusal refusal) {
        return new LockTask(client, request, onLost, refusal);
    }
}
