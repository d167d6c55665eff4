package io.distlock.spring.template;

import io.distlock.LockClient;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.spring.OnLost;
import io.distlock.spring.execution.LockTask;
import io.distlock.spring.execution.Refusal;
import java.util.function.UnaryOperator;

/** One lock as it is to be taken, without what becomes of whoever does not get it. */
record LockTerms(LockClient client, LockRequest request, OnLost onLost) {

    static LockTerms of(LockClient client, LockRequest request) {
        return new LockTerms(client, request, OnLost.LEAVE_RUNNING);
    }

    LockTerms with(UnaryOperator<LockOptions> change) {
        return with(request.withOptions(change.apply(request.options())));
    }

    LockTerms with(LockRequest changed) {
        return new LockTerms(client, changed, onLost);
    }

    LockTerms with(OnLost changed) {
        return new LockTerms(client, request, changed);
    }

    LockTask task(Refusal refusal) {
        return new LockTask(client, request, onLost, refusal);
    }
}
