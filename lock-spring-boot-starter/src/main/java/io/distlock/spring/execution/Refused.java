package io.distlock.spring.execution;

import io.distlock.LockException;
import org.jspecify.annotations.Nullable;

/**
 * One of the locks of a call was not granted. Carries the answer out to where the locks before it have been given
 * back; no caller sees it. Takes nothing suppressed: the loss of an earlier lock concerns nobody, as the body has not
 * run.
 */
final class Refused extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Refusal refusal;
    private final LockException why;

    Refused(LockTask task, LockException why) {
        super(why.getMessage(), why, false, false);
        this.refusal = task.refusal();
        this.why = why;
    }

    /** What the caller gets. */
    @Nullable
    Object answer() throws Throwable {
        return refusal.answer(why);
    }
}
