package io.distlock.chaos.client;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockException;
import io.distlock.LockMode;
import io.distlock.chaos.client.Workload.Course;
import io.distlock.chaos.client.Workload.Step;
import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.Journal;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A thread that takes locks, writes at the register under them, and records all of it, until it is told to stop. */
final class Worker implements Runnable {

    private static final int SAMPLES_PER_WRITE = 3;
    private static final int SAMPLE_MILLIS = 8;
    private static final int PAUSE_MILLIS = 40;
    private static final Duration AFTER_REFUSAL = Duration.ofMillis(20);

    private final String name;
    private final LockClient locks;
    private final Journal journal;
    private final int register;
    private final Course course;
    private final CountDownLatch stop;
    private final Ticker ticker = Ticker.system();

    Worker(String name, LockClient locks, Journal journal, int register, Course course, CountDownLatch stop) {
        this.name = name;
        this.locks = locks;
        this.journal = journal;
        this.register = register;
        this.course = course;
        this.stop = stop;
    }

    @Override
    public void run() {
        try (RegisterConnection writes = RegisterConnection.to(register)) {
            for (int number = 0; !isToStop(course.pause(PAUSE_MILLIS)); number++) {
                Step step = course.next(locks);
                String attempt = name + '-' + number;
                Optional<HeldLock> lock = ask(attempt, step);
                if (lock.isPresent()) {
                    hold(attempt, step, lock.get(), writes);
                    release(attempt, lock.get());
                } else {
                    isToStop(AFTER_REFUSAL);
                }
            }
        }
    }

    private Optional<HeldLock> ask(String attempt, Step step) {
        journal.now(
                Kind.ASKED,
                attempt,
                step.request().keys().get(0).text(),
                step.request().mode(),
                step.request().options().waitTime().toMillis(),
                step.request().options().leaseTime().toMillis(),
                step.checked(),
                step.request().permits());
        CompletableFuture<HeldLock> call = locks.acquireAsync(step.request());
        try {
            HeldLock lock = call.get(step.patience().toMillis(), TimeUnit.MILLISECONDS);
            // The clock is read when the call has returned, so a hold never counts from too early on.
            journal.now(
                    Kind.GRANTED,
                    attempt,
                    lock.fencingToken().value(),
                    lock.keys().get(0).text());
            return Optional.of(lock);
        } catch (TimeoutException patience) {
            // What a cancelled attempt leaves is the library's to clear up: its lock must not stay.
            call.cancel(true);
            journal.now(Kind.REFUSED, attempt, "cancelled");
        } catch (ExecutionException failure) {
            journal.now(Kind.REFUSED, attempt, reason(failure.getCause()));
        } catch (InterruptedException interrupt) {
            throw new IllegalStateException(interrupt);
        }
        return Optional.empty();
    }

    private static String reason(@Nullable Throwable cause) {
        return cause instanceof LockException
                ? cause.getClass().getSimpleName()
                : "unexpected:" + (cause == null ? "none" : cause.getClass().getName());
    }

    private void hold(String attempt, Step step, HeldLock lock, RegisterConnection writes) {
        lock.onLost(loss -> journal.now(Kind.LOST, attempt, loss.reason()));
        long end = ticker.nanos() + step.body().toNanos();
        boolean writer = step.request().mode() == LockMode.EXCLUSIVE;
        for (int sample = 0; ; sample++) {
            long now = ticker.nanos();
            boolean held = lock.isHeld();
            journal.at(now, held ? Kind.HELD : Kind.NOT_HELD, attempt);
            boolean over = now > end || (!held && step.checked()) || stop.getCount() == 0;
            // Who does not ask the lock writes at the end of the body as well: after a freeze, that is a stale write.
            if (writer && (over ? !step.checked() : sample % SAMPLES_PER_WRITE == 0)) {
                writes.write(
                        attempt, lock.keys().get(0).text(), lock.fencingToken().value());
            }
            if (over) {
                return;
            }
            isToStop(course.pause(SAMPLE_MILLIS));
        }
    }

    private void release(String attempt, HeldLock lock) {
        journal.now(Kind.RELEASING, attempt);
        journal.now(Kind.RELEASED, attempt, lock.release());
    }

    /** Waits, unless it is to stop. */
    private boolean isToStop(Duration pause) {
        try {
            return stop.await(pause.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupt) {
            throw new IllegalStateException(interrupt);
        }
    }
}
