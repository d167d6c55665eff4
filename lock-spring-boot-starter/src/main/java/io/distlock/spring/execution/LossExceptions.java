package io.distlock.spring.execution;

import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.support.Futures;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How the failure of a body and the loss of its lock become one exception. */
final class LossExceptions {

    private LossExceptions() {}

    /** The body's exception, which suppresses what a release reported, unless it reports the same; or the latter alone. */
    static Throwable joined(@Nullable Throwable ofTheBody, Throwable ofTheRelease) {
        if (ofTheBody == null) {
            return Futures.cause(ofTheRelease);
        }
        Throwable failure = Futures.cause(ofTheBody);
        Throwable end = Futures.cause(ofTheRelease);
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
