package io.distlock.spring.interceptor;

import io.distlock.spring.execution.CanonicalOrder;
import io.distlock.spring.execution.LockTask;
import java.util.ArrayList;
import java.util.List;

/**
 * All that is to be known about a locked method, resolved once.
 *
 * @param results what it returns, and so how it is run
 * @param operations its locks, one or more
 */
record LockPlan(MethodResults results, List<LockOperation> operations) {

    /** The locks that a call needs, in the order in which they are taken; none if no condition is met. */
    List<LockTask> tasks(LockedCall call) {
        List<LockTask> tasks = new ArrayList<>(operations.size());
        for (LockOperation operation : operations) {
            if (operation.appliesTo(call)) {
                tasks.add(operation.task(call));
            }
        }
        return CanonicalOrder.of(tasks);
    }
}
