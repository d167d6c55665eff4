package io.distlock.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.engine.KeyQueues.Ticket;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** Calls of one key meet in their queue. What only an admitted call touches is a plain field: the queue must order it. */
public final class KeyQueuesStress {

    private static final LockKey KEY = LockKey.of("key");

    private KeyQueuesStress() {}

    /** Two calls take turns: never both at once, both in the end, and no queue is left. */
    @JCStressTest
    @Outcome(id = "0, 2, 0", expect = ACCEPTABLE, desc = "one after the other")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class Turns {

        private final KeyQueues queues = new KeyQueues();
        private int inside;
        private int overlaps;
        private int admitted;

        private final class Call {

            private final Ticket ticket = new Ticket(KEY, LockMode.EXCLUSIVE, this::turn);

            void start() {
                if (queues.enter(ticket, true)) {
                    turn();
                }
            }

            private void turn() {
                inside++;
                overlaps += inside == 1 ? 0 : 1;
                admitted++;
                inside--;
                queues.leave(ticket);
            }
        }

        @Actor
        public void first() {
            new Call().start();
        }

        @Actor
        public void second() {
            new Call().start();
        }

        @Arbiter
        public void look(III_Result result) {
            result.r1 = overlaps;
            result.r2 = admitted;
            result.r3 = queues.size();
        }
    }

    /** The first in the queue gives up while its turn comes: the one behind it is admitted once, and no queue is left. */
    @JCStressTest
    @Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "it gives up before its turn")
    @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "it gives up after its turn")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class GivingUp {

        private final KeyQueues queues = new KeyQueues();
        private final Ticket holder = new Ticket(KEY, LockMode.EXCLUSIVE, () -> {});
        private final Ticket first = new Ticket(KEY, LockMode.EXCLUSIVE, this::firstTurn);
        private final Ticket second = new Ticket(KEY, LockMode.EXCLUSIVE, this::secondTurn);
        private volatile int firstTurns;
        private volatile int secondTurns;

        public GivingUp() {
            queues.enter(holder, true);
            queues.enter(first, true);
            queues.enter(second, true);
        }

        private void firstTurn() {
            firstTurns++;
        }

        private void secondTurn() {
            secondTurns++;
            queues.leave(second);
        }

        @Actor
        public void holderLeaves() {
            queues.leave(holder);
        }

        @Actor
        public void firstGivesUp() {
            queues.leave(first);
        }

        @Arbiter
        public void look(III_Result result) {
            result.r1 = firstTurns;
            result.r2 = secondTurns;
            result.r3 = queues.size();
        }
    }

    /** A call that leaves twice counts once: of two that wait, one is admitted. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "one is admitted, the other waits in the queue")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class LeavingTwice {

        private final KeyQueues queues = new KeyQueues();
        private final Ticket holder = new Ticket(KEY, LockMode.EXCLUSIVE, () -> {});
        private volatile int turns;

        public LeavingTwice() {
            queues.enter(holder, true);
            queues.enter(new Ticket(KEY, LockMode.EXCLUSIVE, this::turn), true);
            queues.enter(new Ticket(KEY, LockMode.EXCLUSIVE, this::turn), true);
        }

        private void turn() {
            turns++;
        }

        @Actor
        public void leaves() {
            queues.leave(holder);
        }

        @Actor
        public void leavesToo() {
            queues.leave(holder);
        }

        @Arbiter
        public void look(II_Result result) {
            result.r1 = turns;
            result.r2 = queues.size();
        }
    }

    /** A reader sees all of what a writer does, or nothing. */
    @JCStressTest
    @Outcome(id = "0, 2, 0", expect = ACCEPTABLE, desc = "never a reader beside the writer")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class Readers {

        private final KeyQueues queues = new KeyQueues();
        private int value;
        private final AtomicInteger torn = new AtomicInteger();
        private final AtomicInteger admitted = new AtomicInteger();

        private void start(LockMode mode, Runnable body) {
            Ticket[] ticket = new Ticket[1];
            Runnable turn = () -> {
                body.run();
                admitted.incrementAndGet();
                queues.leave(ticket[0]);
            };
            ticket[0] = new Ticket(KEY, mode, turn);
            if (queues.enter(ticket[0], true)) {
                turn.run();
            }
        }

        private void read() {
            if (value % 2 != 0) {
                torn.incrementAndGet();
            }
        }

        private void write() {
            value++;
            value++;
        }

        @Actor
        public void reader() {
            start(LockMode.SHARED, this::read);
        }

        @Actor
        public void writer() {
            start(LockMode.EXCLUSIVE, this::write);
        }

        @Arbiter
        public void look(III_Result result) {
            result.r1 = torn.get();
            result.r2 = admitted.get();
            result.r3 = queues.size();
        }
    }
}
