package io.distlock.test.application;

import static org.awaitility.Awaitility.await;

import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.AbstractAssert;
import org.awaitility.core.ConditionTimeoutException;

/** Assertions about one lock of an application: {@link LockTester#assertThatLock}. */
public final class LockAssert extends AbstractAssert<LockAssert, LockKey> {

    private final LockClient client;
    private final LockHistory history;
    private final Duration soon;

    LockAssert(LockKey key, LockClient client, LockHistory history, Duration soon) {
        super(key, LockAssert.class);
        this.client = client;
        this.history = history;
        this.soon = soon;
    }

    /** The application has acquired it at least once. */
    public LockAssert wasAcquired() {
        return requireSoon(() -> count(LockEvent.Acquired.class) > 0, "to have been acquired");
    }

    /** The application has acquired it this many times. */
    public LockAssert wasAcquiredTimes(int times) {
        int count = count(LockEvent.Acquired.class);
        return require(count == times, "to have been acquired " + times + " times, but it was " + count + " times");
    }

    /** The application has not acquired it. */
    public LockAssert wasNeverAcquired() {
        return wasAcquiredTimes(0);
    }

    /** Another holder kept it for the whole wait time of a call. */
    public LockAssert wasRefused() {
        return requireSoon(() -> count(LockEvent.NotAcquired.class) > 0, "to have been refused");
    }

    /** The application has released it at least once. */
    public LockAssert wasReleased() {
        return requireSoon(() -> count(LockEvent.Released.class) > 0, "to have been released");
    }

    /** The application has lost it at least once while it held it. */
    public LockAssert wasLost() {
        return requireSoon(() -> count(LockEvent.Lost.class) > 0, "to have been lost");
    }

    /** The application holds it now. */
    public LockAssert isHeld() {
        return require(client.held().anyMatch(hold -> hold.key().equals(actual)), "to be held by the application");
    }

    /** A call of the application is waiting for it now. */
    public LockAssert isWaitedFor() {
        return require(client.waiting().anyMatch(wait -> wait.key().equals(actual)), "to be waited for");
    }

    /** Nobody holds it now, neither the application nor another instance. */
    public LockAssert isFree() {
        return require(client.inspect(actual).isEmpty(), "to be free");
    }

    private int count(Class<? extends LockEvent> kind) {
        return history.of(kind, actual).size();
    }

    /** A call may return a moment before listeners learn how it ended. */
    private LockAssert requireSoon(BooleanSupplier kept, String rule) {
        try {
            await().atMost(soon)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(kept::getAsBoolean);
        } catch (ConditionTimeoutException never) {
            return require(false, rule);
        }
        return this;
    }

    private LockAssert require(boolean kept, String rule) {
        if (!kept) {
            List<LockEvent> events = history.of(LockEvent.class);
            failWithMessage("Expecting lock '%s' %s.%nWhat happened to locks: %s", actual, rule, events);
        }
        return this;
    }
}
