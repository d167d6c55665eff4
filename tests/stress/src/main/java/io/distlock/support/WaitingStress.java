package io.distlock.support;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Wake-ups, timers and the end of a wait meet; so do the members of a due set and its timer, and calls under way and closing. */
public final class WaitingStress {

    private WaitingStress() {}

    /** Timers that run when an actor says so. */
    private static final class Timers implements LockScheduler {

        private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

        @Override
        public Scheduled schedule(Runnable task, Duration delay) {
            tasks.add(task);
            return () -> tasks.remove(task);
        }

        void fireOne() {
            Runnable task = tasks.poll();
            if (task != null) {
                task.run();
            }
        }

        void fire() {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        }

        @Override
        public void close() {}
    }

    /** Counts its steps. Steps never overlap, so a plain field is enough. */
    private static final class Waiter extends WaitingAcquisition {

        private static final LockKey KEY = LockKey.of("key");

        final AtomicInteger settled = new AtomicInteger();
        int steps;

        Waiter(Timers timers) {
            this(new LockRuntime(Ticker.system(), timers));
        }

        private Waiter(LockRuntime runtime) {
            super(
                    runtime,
                    new LeaseRequest(
                            KEY,
                            LockMode.EXCLUSIVE,
                            "owner",
                            LockOptions.defaults(),
                            Deadline.in(Duration.ofHours(1), runtime.ticker())));
        }

        void begin() {
            asks();
        }

        void refused() {
            goOn(() -> park(Duration.ofMinutes(1)));
        }

        void released() {
            wake();
        }

        @Override
        protected void advance() {
            asks();
            steps++;
            refused();
        }

        @Override
        protected void end() {
            complete(Optional.empty());
            finish();
        }

        @Override
        protected void settle() {
            settled.incrementAndGet();
        }
    }

    /** A release that is announced while the refusal is on its way is not missed. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "it tries again, once")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class WakeMeetsPark {

        private final Waiter waiter = new Waiter(new Timers());

        public WakeMeetsPark() {
            waiter.begin();
        }

        @Actor
        public void park() {
            waiter.refused();
        }

        @Actor
        public void wake() {
            waiter.released();
        }

        @Arbiter
        public void look(I_Result result) {
            result.r1 = waiter.steps;
        }
    }

    /** A wake-up and the timer: one of them continues. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "the timer was gone, or has come first")
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "a wake-up after the try that the timer began")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class WakeMeetsTimer {

        private final Timers timers = new Timers();
        private final Waiter waiter = new Waiter(timers);

        public WakeMeetsTimer() {
            waiter.begin();
            waiter.refused();
        }

        @Actor
        public void wake() {
            waiter.released();
        }

        @Actor
        public void timer() {
            timers.fireOne();
        }

        @Arbiter
        public void look(I_Result result) {
            result.r1 = waiter.steps;
        }
    }

    /** A wake-up and a cancellation: it settles once, after its last step. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "cancelled first")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "one step before")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class WakeMeetsCancellation {

        private final Waiter waiter = new Waiter(new Timers());

        public WakeMeetsCancellation() {
            waiter.begin();
            waiter.refused();
        }

        @Actor
        public void wake() {
            waiter.released();
        }

        @Actor
        public void cancel() {
            waiter.cancel(true);
        }

        @Arbiter
        public void look(II_Result result) {
            result.r1 = waiter.steps;
            result.r2 = waiter.settled.get();
        }
    }

    /** A member that is added while the timer fires is handled too, and each is handled once. */
    @JCStressTest
    @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "both handled")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class MembersMeetTimer {

        private final Timers timers = new Timers();
        private final DueSet<Member> members = new DueSet<>(
                Ticker.system(),
                timers,
                due -> due.forEach(member -> {
                    member.handled.incrementAndGet();
                    leave(member);
                }));
        private final Member first = new Member();
        private final Member second = new Member();

        private static final class Member implements DueSet.Due {

            private final AtomicInteger handled = new AtomicInteger();
            private final long due = System.nanoTime();

            @Override
            public long dueNanos() {
                return due;
            }
        }

        public MembersMeetTimer() {
            members.add(second);
        }

        private void leave(Member member) {
            members.remove(member);
        }

        @Actor
        public void add() {
            members.add(first);
        }

        @Actor
        public void timer() {
            timers.fireOne();
        }

        @Arbiter
        public void look(III_Result result) {
            timers.fire();
            result.r1 = first.handled.get();
            result.r2 = second.handled.get();
            result.r3 = members.members().size();
        }
    }

    /** Closing hears of the last call under way, whichever comes first. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "drained")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class CallsMeetClosing {

        private final CallsInFlight calls = new CallsInFlight();

        public CallsMeetClosing() {
            calls.begin();
        }

        @Actor
        public void end() {
            calls.end();
        }

        @Actor
        public void close() {
            calls.drained();
        }

        @Arbiter
        public void look(Z_Result result) {
            result.r1 = calls.drained().isDone();
        }
    }
}
