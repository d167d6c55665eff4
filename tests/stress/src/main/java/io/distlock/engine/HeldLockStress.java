package io.distlock.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.spi.Renewal;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;
import org.openjdk.jcstress.infra.results.LIZ_Result;

/** A held lock whose release, loss and renewal meet. */
public final class HeldLockStress {

    private HeldLockStress() {}

    /** It is either released or lost, is reported once, and holds nothing up. */
    @JCStressTest
    @Outcome(id = "RELEASED, 0, true", expect = ACCEPTABLE, desc = "released")
    @Outcome(id = "NOT_OWNER, 1, true", expect = ACCEPTABLE, desc = "lost")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class ReleaseMeetsLoss {

        private final StressedLock held = new StressedLock();
        private volatile Release outcome;

        @Actor
        public void release() {
            outcome = held.lock.release();
        }

        @Actor
        public void lose() {
            held.lock.lose(LockLoss.Reason.NOT_OWNER);
        }

        @Arbiter
        public void look(LIZ_Result result) {
            result.r1 = outcome;
            result.r2 = held.losses.get();
            result.r3 = held.isDoneWith();
        }
    }

    /** A renewal that is confirmed meanwhile does not revive it. */
    @JCStressTest
    @Outcome(id = "RELEASED, 0, true", expect = ACCEPTABLE, desc = "released for good")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class ReleaseMeetsRenewal {

        private final StressedLock held = new StressedLock();
        private volatile Release outcome;

        @Actor
        public void release() {
            outcome = held.lock.release();
        }

        @Actor
        public void renewed() {
            held.lock.answered(Renewal.RENEWED, Ticker.system().now());
        }

        @Arbiter
        public void look(LIZ_Result result) {
            result.r1 = outcome;
            result.r2 = held.losses.get();
            result.r3 = held.isDoneWith();
        }
    }

    /** A renewal that is confirmed meanwhile does not keep it, either. */
    @JCStressTest
    @Outcome(id = "1, true", expect = ACCEPTABLE, desc = "lost once")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class LossMeetsRenewal {

        private final StressedLock held = new StressedLock();

        @Actor
        public void lose() {
            held.lock.lose(LockLoss.Reason.EXPIRED);
        }

        @Actor
        public void renewed() {
            held.lock.answered(Renewal.RENEWED, Ticker.system().now());
        }

        @Arbiter
        public void look(IZ_Result result) {
            result.r1 = held.losses.get();
            result.r2 = held.isDoneWith();
        }
    }

    /** It is lost once, whoever notices first. */
    @JCStressTest
    @Outcome(id = "1, true", expect = ACCEPTABLE, desc = "lost once")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class TwoLosses {

        private final StressedLock held = new StressedLock();

        @Actor
        public void expired() {
            held.lock.lose(LockLoss.Reason.EXPIRED);
        }

        @Actor
        public void notOwner() {
            held.lock.answered(Renewal.NOT_OWNER, Ticker.system().now());
        }

        @Arbiter
        public void look(IZ_Result result) {
            result.r1 = held.losses.get();
            result.r2 = held.isDoneWith();
        }
    }

    /** Two releases ask the store once, and have one outcome. */
    @JCStressTest
    @Outcome(id = "RELEASED, 1, true", expect = ACCEPTABLE, desc = "released once")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class TwoReleases {

        private final StressedLock held = new StressedLock();
        private volatile Release one;
        private volatile Release other;

        @Actor
        public void release() {
            one = held.lock.release();
        }

        @Actor
        public void releaseToo() {
            other = held.lock.release();
        }

        @Arbiter
        public void look(LIZ_Result result) {
            result.r1 = one == other ? one : "differ";
            result.r2 = held.releases();
            result.r3 = held.isDoneWith();
        }
    }

    /** An action that is added while the loss is reported runs once, and all see one stage. */
    @JCStressTest
    @Outcome(id = "1, true", expect = ACCEPTABLE, desc = "reported once")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class SignalMeetsListener {

        private final LockState.LossSignal signal = new LockState.LossSignal(Runnable::run);
        private final AtomicInteger heard = new AtomicInteger();
        private volatile CompletionStage<LockLoss> stage;

        @Actor
        public void fire() {
            signal.fire(new LockLoss(
                    LockKey.of("key"),
                    LockMode.EXCLUSIVE,
                    new FencingToken(1),
                    LockLoss.Reason.EXPIRED,
                    Duration.ZERO,
                    Duration.ZERO));
        }

        @Actor
        public void listen() {
            signal.onLost(loss -> heard.incrementAndGet());
            stage = signal.stage();
        }

        @Arbiter
        public void look(IZ_Result result) {
            result.r1 = heard.get();
            result.r2 = stage == signal.stage() && stage.toCompletableFuture().isDone();
        }
    }
}
