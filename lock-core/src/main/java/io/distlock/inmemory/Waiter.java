package io.distlock.inmemory;

import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.support.LockScheduler;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A request in the queue of its key. */
final class Waiter extends CompletableFuture<Optional<Grant>> {

    private final LeaseRequest request;
    private final Consumer<Waiter> onCancel;
    private volatile LockScheduler.@Nullable Scheduled timer;

    Waiter(LeaseRequest request, Consumer<Waiter> onCancel) {
        this.request = request;
        this.onCancel = onCancel;
    }

    LeaseRequest request() {
        return request;
    }

    void endBy(LockScheduler.Scheduled deadline) {
        timer = deadline;
        if (isDone()) {
            stopTimer();
        }
    }

    void stopTimer() {
        LockScheduler.Scheduled running = timer;
        if (running != null) {
            running.cancel();
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        onCancel.accept(this);
        return cancelled;
    }
}
