package io.distlock.spring.execution;

import io.distlock.LockLostException;

/** How the loss of a lock goes along with a failure of the body. */
final class Losses {

    private Losses() {}

    /** Keeps the body's failure the one that is told, unless it tells of this very loss. */
    static void suppress(Throwable ofTheBody, Throwable loss) {
        Throwable failure = Admission.bare(ofTheBody);
        Throwable end = Admission.bare(loss);
        if (failure != end && !isSame(failure, end)) {
            failure.addSuppressed(end);
        }
    }

    private static boolean isSame(Throwable failure, Throwable end) {
        return failure instanceof LockLostException told
                && end instanceof LockLostException again
                && told.loss().equals(again.loss());
    }
}
