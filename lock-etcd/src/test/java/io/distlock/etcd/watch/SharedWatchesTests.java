package io.distlock.etcd.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.support.LockRuntime;
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

    /** Whoever were woken would look again without the pause that follows a failure. */
    @Test
    void aStreamThatCannotBeOpenedWakesNobodyAndIsOpenedAgainForTheNext() {
        try (LockRuntime runtime = LockRuntime.start();
                SharedWatches watches = new SharedWatches(
                        () -> {
                            opened.incrementAndGet();
                            throw new IllegalStateException("fails on purpose");
                        },
                        ByteSequence.EMPTY,
                        runtime,
                        Duration.ofSeconds(10))) {
            for (int turn = 1; turn <= 2; turn++) {
                WatchedKey watched = watches.watch(KEY, 0, woken::incrementAndGet);
                assertThat(watched).isCompletedExceptionally();
                assertThat(watched.handle((done, failure) -> failure.getMessage()))
                        .isCompletedWithValue("fails on purpose");
                assertThat(watched.isLive()).isFalse();
                assertThat(opened).hasValue(turn);
            }
            assertThat(woken).hasValue(0);
        }
    }
}
