package io.distlock.engine;

import io.distlock.LockLoss;
import io.distlock.Release;
import io.distlock.spi.Moment;
import java.util.concurrent.CompletableFuture;

/** How a held key stands. Goes from held to released or to lost, and never back. */
sealed interface Standing {

    /**
     * Believed to be ours, for as long as the lease is valid.
     *
     * @param since validity is counted from here
     * @param renewals how often it has been extended
     */
    record Held(Moment since, int renewals) implements Standing {}

    /**
     * Being given back; the store has not answered yet.
     *
     * @param since validity was counted from here
     */
    record Releasing(CompletableFuture<Release> outcome, Moment since) implements Standing {}

    /** Given back. */
    record Released(Release outcome) implements Standing {}

    /** Gone before it was given back. */
    record Lost(LockLoss loss) implements Standing {}
}
