package io.distlock.spring.observation;

import io.distlock.HeldLock;
import io.distlock.LockInterruptedException;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.Release;
import io.distlock.spring.client.FollowedCall;
import io.distlock.spring.client.FollowedHold;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;

/** The observation of one wait, and of what it waits for. */
final class ObservedCall implements FollowedCall {

    private final Started wait;
    private final Supplier<Started> hold;

    ObservedCall(Started wait, Supplier<Started> hold) {
        this.wait = wait;
        this.hold = hold;
    }

    @Override
    public FollowedHold granted(HeldLock held) {
        wait.context().granted(held.sequencers());
        wait.end("acquired");
        Started observed = hold.get();
        observed.context().granted(held.sequencers());
        return new ObservedHold(observed);
    }

    /** No error: that is what the lock is for. */
    @Override
    public void refused() {
        wait.end("not_acquired");
    }

    @Override
    public void failed(Throwable cause) {
        wait.observation().error(cause);
        wait.end(
                cause instanceof CancellationException || cause instanceof LockInterruptedException
                        ? "cancelled"
                        : "unavailable");
    }

    private record ObservedHold(Started hold) implements FollowedHold {

        @Override
        public void released(Release outcome) {
            hold.end(outcome.name().toLowerCase(Locale.ROOT));
        }

        @Override
        public void lost(LockLoss loss) {
            hold.observation().error(new LockLostException(loss));
            hold.end("lost");
        }
    }
}
