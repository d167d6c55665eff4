package io.distlock.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.LockUnavailableException;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** One loop over a store that says what the test says, in a time that the test makes pass. */
abstract class AcquireLoopFixture {

    static final LockKey KEY = LockKey.of("a");
    static final Duration CALL_TIMEOUT = Duration.ofSeconds(1);
    static final Duration LONG = Duration.ofSeconds(30);

    final ManualTicker ticker = new ManualTicker();
    final ManualScheduler scheduler = new ManualScheduler(ticker);
    final LockRuntime runtime = new LockRuntime(ticker, scheduler);
    final ScriptedStore store = new ScriptedStore();
    final List<String> heard = new ArrayList<>();
    final LeaseRequest.Listener replies = new LeaseRequest.Listener() {
        @Override
        public void refused() {
            heard.add("refused");
        }

        @Override
        public void failed(Throwable cause) {
            heard.add(String.valueOf(cause.getMessage()));
        }
    };
    final AcquireLoop loop = new AcquireLoop(runtime, store, CALL_TIMEOUT);

    /** Refused, subscribed, refused again. */
    CompletableFuture<Optional<Grant>> parked(Duration waitTime, Duration freeIn) {
        CompletableFuture<Optional<Grant>> asked = acquire(waitTime);
        store.refuse(freeIn);
        store.subscribed();
        store.refuse(freeIn);
        return asked;
    }

    void refuseToTheEnd(CompletableFuture<Optional<Grant>> asked) {
        while (!asked.isDone()) {
            ticker.advance(Duration.ofMillis(1));
            store.refuse(LONG);
        }
    }

    CompletableFuture<Optional<Grant>> acquire(Duration waitTime) {
        LockOptions options = LockOptions.defaults().withWaitTime(waitTime);
        return loop.acquire(
                new LeaseRequest(KEY, LockMode.EXCLUSIVE, "owner", options, Deadline.in(waitTime, ticker), replies));
    }

    void assertNothingLeft() {
        // The reaper looks twice more.
        ticker.advance(Duration.ofSeconds(5));
        assertThat(runtime.reaper().pending()).as("reaper").isZero();
        assertThat(store.closedSubscriptions).as("subscriptions").isEqualTo(store.subscriptions.size());
    }

    static void assertUnavailable(CompletableFuture<Optional<Grant>> asked) {
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> asked.getNow(Optional.empty()))
                .withCauseInstanceOf(LockUnavailableException.class);
    }
}
