package io.distlock.spring.execution;

import io.distlock.LockLoss;
import io.distlock.LockLostException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How the failure of a body and the loss of its lock become one exception. */
final class LossExceptions {

    private LossExceptions() {}

    /** Without the wrapper that futures put around the exceptions of their dependents. */
    static Throwable bare(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** The body's exception, which suppresses what a release reported, unless it reports the same; or the latter alone. */
    static Throwable joined(@Nullable Throwable ofTheBody, Throwable ofTheRelease) {
        if (ofTheBody == null) {
            return bare(ofTheRelease);
        }
        Throwable failure = bare(ofTheBody);
        Throwable end = bare(ofTheRelease);
        LockLoss loss = end instanceof LockLostException lost ? lost.loss() : null;
        if (!isReported(end, loss, failure, Collections.newSetFromMap(new IdentityHashMap<>()))) {
            failure.addSuppressed(end);
        }
        return ofTheBody;
    }

    private static boolean isReported(
            Throwable end, @Nullable LockLoss loss, @Nullable Throwable by, Set<Throwable> seen) {
        if (by == null || !seen.add(by)) {
            return false;
        }
        return by == end
                || (by instanceof LockLostException lost && lost.loss().equals(loss))
                || Stream.concat(Stream.ofNullable(by.getCause()), Stream.of(by.getSuppressed()))
                        .anyMatch(each -> isReported(end, loss, each, seen));
    }
}
