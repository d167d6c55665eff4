package io.distlock.etcd.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import io.etcd.jetcd.ByteSequence;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Watches without a server. */
class SharedWatchesTests {

    private static final ByteSequence KEY = ByteSequence.from("key", StandardCharsets.UTF_8);

    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger woken = new AtomicInteger();

    @Test
    void aStreamThatCannotBeOpenedWakesNobodyAndIsOpenedAgainAfterAPause() {
        ManualTicker ticker = new ManualTicker();
        try (LockRuntime runtime = ManualScheduler.runtime(ticker)) {
            SharedWatches watches = new SharedWatches(
                    () -> {
                        opened.incrementAndGet();
                        throw new IllegalStateException("fails on purpose");
                    },
                    ByteSequence.EMPTY,
                    runtime,
                    Duration.ofSeconds(10));
            WatchedKey watched = watches.watch(KEY, 0, woken::incrementAndGet);
            watches.watch(KEY, 0, woken::incrementAndGet);
            assertThat(opened).hasValue(1);
            ticker.advance(Duration.ofMillis(250));
            assertThat(opened).hasValue(2);
            assertThat(watched).isNotDone();
            watches.close();
            assertThat(watched.handle((done, failure) -> failure.getMessage()))
                    .isCompletedWithValue("the provider is closed");
            assertThat(woken).hasValue(0);
        }
    }
}
