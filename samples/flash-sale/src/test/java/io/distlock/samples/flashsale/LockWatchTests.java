package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.FencingToken;
import io.distlock.LockEvent.Acquired;
import io.distlock.LockEvent.Failed;
import io.distlock.LockEvent.NotAcquired;
import io.distlock.LockEvent.Released;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Release;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LockWatchTests {

    private static final LockKey KEY = LockKey.of("sale", "7");
    private static final FencingToken TOKEN = new FencingToken(1);

    private final LockWatch watch = new LockWatch();

    @BeforeEach
    void follow() {
        watch.follow(KEY);
    }

    @Test
    void countsWhatHappensToItsLock() {
        watch.onEvent(acquired(KEY));
        watch.onEvent(
                new Released("in-memory", KEY, LockMode.EXCLUSIVE, TOKEN, Duration.ofMillis(60), Release.RELEASED));
        watch.onEvent(new NotAcquired("in-memory", KEY, LockMode.EXCLUSIVE, Duration.ofSeconds(5)));
        watch.onEvent(
                new Failed("in-memory", KEY, LockMode.EXCLUSIVE, Duration.ofSeconds(1), new IllegalStateException()));

        assertThat(watch.record(KEY).figures())
                .isEqualTo(new LockFigures(1, 1, 1, new Spread(20, 20, 20), new Spread(60, 60, 60)));
    }

    @Test
    void isNotConcernedWithOtherLocks() {
        watch.onEvent(acquired(LockKey.of("sale", "8")));

        assertThat(watch.record(KEY).figures().acquired()).isZero();
        assertThat(watch.record(KEY).isOurs(TOKEN)).isFalse();
    }

    @Test
    void beginsANewRecordForTheNextLock() {
        watch.onEvent(acquired(KEY));
        watch.follow(LockKey.of("sale", "8"));

        assertThat(watch.record(KEY).figures().acquired()).isZero();
    }

    @Test
    void knowsAGrantOfThisInstanceByItsToken() {
        watch.onEvent(acquired(KEY));

        assertThat(watch.record(KEY).isOurs(TOKEN)).isTrue();
        assertThat(watch.record(KEY).isOurs(new FencingToken(2))).isFalse();
    }

    private static Acquired acquired(LockKey key) {
        return new Acquired("in-memory", key, LockMode.EXCLUSIVE, TOKEN, Duration.ofMillis(20));
    }
}
