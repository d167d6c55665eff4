package io.distlock.jdbc;

import io.distlock.support.Backoff;
import io.distlock.support.LockRuntime;
import io.distlock.support.TryLockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * Looks at the rows that somebody here waits for, one look for all who wait for one key: after 50 ms at first, later
 * after up to a second, with jitter, and when the holder's lease would end. Wakes them when something has changed that may let one of
 * them in. Thread-safe.
 */
final class PolledKeys implements KeyChanges {

    private static final Backoff BETWEEN_LOOKS = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(1));

    private final LockRuntime runtime;
    private final Function<String, ? extends CompletionStage<Optional<LockRow>>> look;
    private final Map<String, Polled> keys = new ConcurrentHashMap<>();
    private volatile boolean closed;

    PolledKeys(LockRuntime runtime, Function<String, ? extends CompletionStage<Optional<LockRow>>> look) {
        this.runtime = runtime;
        this.look = look;
    }

    @Override
    public CompletionStage<TryLockStore.Subscription> subscribe(String row, Runnable wake) {
        Polled polled = keys.compute(row, (key, known) -> {
            Polled one = known == null ? new Polled(key) : known;
            one.waiting.add(wake);
            one.begin();
            return one;
        });
        return CompletableFuture.completedFuture(new TryLockStore.Subscription() {

            @Override
            public boolean looksForWaiters() {
                return polled.answered;
            }

            @Override
            public void close() {
                leave(row, wake);
            }
        });
    }

    private void leave(String row, Runnable wake) {
        keys.computeIfPresent(row, (key, polled) -> {
            polled.waiting.remove(wake);
            return polled.waiting.isEmpty() ? null : polled;
        });
    }

    /** One key. Its looks follow each other, so that their fields need no lock. */
    private final class Polled {

        private final String row;
        private final List<Runnable> waiting = new CopyOnWriteArrayList<>();
        private volatile boolean answered = true;
        private boolean begun;
        private int looks;
        private Optional<LockRow.News> last = Optional.empty();

        Polled(String row) {
            this.row = row;
        }

        /** Called under the map's lock for this key. */
        void begin() {
            if (!begun) {
                begun = true;
                lookAfter(BETWEEN_LOOKS.pause(++looks));
            }
        }

        private void lookAfter(Duration pause) {
            runtime.scheduler().schedule(this::lookOnce, pause);
        }

        private void lookOnce() {
            if (closed || keys.get(row) != this) {
                return;
            }
            look.apply(row).whenComplete((found, failure) -> {
                Duration pause = BETWEEN_LOOKS.pause(++looks);
                answered = failure == null;
                if (failure == null) {
                    pause = judge(found, pause);
                }
                lookAfter(pause);
            });
        }

        private Duration judge(Optional<LockRow> found, Duration pause) {
            Optional<LockRow.News> news = found.map(LockRow::news);
            boolean free = found.flatMap(LockRow::mode).isEmpty();
            if (free || (last.isPresent() && !last.equals(news))) {
                looks = 1;
                new ArrayList<>(waiting).forEach(Runnable::run);
            }
            last = news;
            Duration expiry = found.flatMap(LockRow::nextExpiry).orElse(pause);
            return expiry.compareTo(pause) < 0 ? expiry.plusMillis(1) : pause;
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
