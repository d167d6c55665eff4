package io.distlock.support;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects to a store in the background when its provider is made. Retries until it succeeds or is closed, and warns only
 * once. Thread-safe.
 */
public final class WarmUp implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WarmUp.class);
    private static final Backoff BETWEEN_TRIES = new Backoff(Duration.ofMillis(100), Duration.ofMinutes(1));

    private final String store;
    private final LockScheduler scheduler;
    private final Supplier<? extends CompletionStage<?>> connecting;
    private final CompletableFuture<Boolean> connected = new CompletableFuture<>();
    private volatile boolean closed;

    /**
     * @param store its name and address
     * @param connecting must not block; fails if the store does not answer
     */
    public WarmUp(String store, LockScheduler scheduler, Supplier<? extends CompletionStage<?>> connecting) {
        this.store = store;
        this.scheduler = scheduler;
        this.connecting = connecting;
    }

    /**
     * Tries for the first time.
     *
     * @param settings the properties that lead to the store
     * @return as {@link io.distlock.spi.LockProvider#connected}
     */
    public CompletableFuture<Boolean> start(String settings, Duration connectTimeout) {
        attempt(settings, 1);
        LockScheduler.Scheduled limit = scheduler.schedule(() -> connected.complete(false), connectTimeout);
        connected.thenRun(limit::cancel);
        return connected;
    }

    private void attempt(String settings, int attempt) {
        if (!closed) {
            connecting.get().whenComplete((ended, failure) -> {
                if (!closed) {
                    ended(settings, attempt, failure);
                }
            });
        }
    }

    private void ended(String settings, int attempt, @Nullable Throwable failure) {
        if (failure != null) {
            if (attempt == 1) {
                log.warn(
                        "{} is not ready for locks: {}. Make sure that it is running, and check {}",
                        store,
                        reason(failure),
                        settings);
            }
            scheduler.schedule(() -> attempt(settings, attempt + 1), BETWEEN_TRIES.pause(attempt));
            return;
        }
        // Not on the driver's thread: all calls that wait ask now, and their answers must be read meanwhile.
        scheduler.schedule(() -> connected.complete(true), Duration.ZERO);
        if (attempt > 1) {
            log.info("{} is ready for locks", store);
        }
    }

    /** What the innermost cause says, for a message. A class name is no reason. */
    public static String reason(Throwable failure) {
        String said = "the connection broke";
        for (Throwable each = failure; each != null; each = each.getCause()) {
            String message = each.getMessage();
            boolean own = each.getCause() == null || !each.getCause().toString().equals(message);
            said = message != null && own ? message : said;
        }
        return said;
    }

    @Override
    public void close() {
        closed = true;
        connected.complete(false);
    }
}
