package io.distlock.engine;

import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import io.distlock.engine.PendingAcquisitions.PendingAcquisition;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The acquisition of any one of several permits, each of which is an exclusive lock. It asks for one at random; as soon as it
 * has to wait for that one, for the next as well; and so on, until it stands at all of them. The first grant ends the others
 * before the caller is notified. Under one deadline, like that of several keys. Thread-safe: its monitor guards its fields, and no
 * other code runs under it.
 */
final class PermitAcquisition extends PendingAcquisition {

    private final int first;
    private final List<Slot> asked = new ArrayList<>();
    private int wanted;
    private int ended;
    // One thread at a time asks for more.
    private boolean asking;
    private @Nullable Slot claimed;
    private @Nullable Throwable failure;

    PermitAcquisition(PendingAcquisitions pending, LockRequest request, long askedNanos, Asker asker) {
        super(pending, request, askedNanos, asker);
        this.first = context.random().get().nextInt(request.permits());
    }

    void advance() {
        askFor(1);
    }

    /** Asks for so many of them in all, and for the rest once there is no time to wait. Iterative: refusals may be immediate. */
    private void askFor(int some) {
        int many = mayWait() && deadline().hasPassed() ? request.permits() : Math.min(some, request.permits());
        synchronized (this) {
            wanted = Math.max(wanted, many);
            if (asking) {
                return;
            }
            asking = true;
        }
        for (Slot next = next(); next != null; next = next()) {
            start(next);
        }
        endIfAllHaveEnded();
    }

    private void start(Slot slot) {
        slot.whenComplete((answer, why) -> ended(slot, why == null ? answer : Optional.empty(), why));
        slot.start();
        if (isOverFor(slot)) {
            slot.cancel(true);
        }
    }

    private synchronized @Nullable Slot next() {
        asking = asked.size() < wanted && claimed == null && !isDone();
        if (!asking) {
            return null;
        }
        int permit = (first + asked.size()) % request.permits() + 1;
        Slot next = new Slot(this, asked.size(), permit);
        asked.add(next);
        return next;
    }

    private boolean mayWait() {
        return !request.options().waitTime().isZero();
    }

    private synchronized boolean isOverFor(Slot slot) {
        return isDone() || (claimed != null && claimed != slot);
    }

    /** True for the first grant. */
    private synchronized boolean claim(Slot slot) {
        if (claimed != null || isDone()) {
            return false;
        }
        claimed = slot;
        return true;
    }

    private void ended(Slot slot, Optional<EngineLock> answer, @Nullable Throwable why) {
        boolean decides;
        synchronized (this) {
            ended++;
            decides = claimed == slot;
            failure = failure == null ? why : failure;
        }
        // A single attempt ends with the first failure: each of the others might take the store's time limit as well.
        if (decides || (why != null && !mayWait())) {
            // Before the caller is notified: its next attempt must not find these in the queues.
            cancelAllBut(slot);
            decide(answer, why);
        } else {
            askFor(slot.place + 2);
        }
    }

    private void endIfAllHaveEnded() {
        Throwable why;
        synchronized (this) {
            if (asking || claimed != null || ended < request.permits()) {
                return;
            }
            why = failure;
        }
        decide(Optional.empty(), why);
    }

    private void decide(Optional<EngineLock> answer, @Nullable Throwable why) {
        if (why != null) {
            if (completeExceptionally(why)) {
                context.publish(name -> new LockEvent.Failed(name, key(), LockMode.EXCLUSIVE, waited(), why));
            }
        } else if (!complete(answer)) {
            answer.ifPresent(EngineLock::giveBack);
        } else if (answer.isEmpty()) {
            context.publish(name -> new LockEvent.NotAcquired(name, key(), LockMode.EXCLUSIVE, waited()));
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            var cause = new CancellationException("cancelled");
            context.publish(name -> new LockEvent.Failed(name, key(), LockMode.EXCLUSIVE, waited(), cause));
            cancelAllBut(null);
        }
        return cancelled;
    }

    private void cancelAllBut(@Nullable Slot kept) {
        List<Slot> others;
        synchronized (this) {
            others = List.copyOf(asked);
        }
        others.stream().filter(each -> each != kept).forEach(each -> each.cancel(true));
    }

    @Override
    LockKey key() {
        return request.keys().get(0);
    }

    /** The acquisition of one of the permits. Only its grant and what follows are events of a lock. */
    private static final class Slot extends KeyAcquisition {

        private final PermitAcquisition any;
        private final int place;
        private final int permit;

        Slot(PermitAcquisition any, int place, int permit) {
            super(any.pending, any.key().permit(permit), any.request, any.askedNanos, any.asker);
            this.any = any;
            this.place = place;
            this.permit = permit;
        }

        @Override
        void start() {
            super.start();
            if (mayWaitInTheQueue() && !isDone()) {
                any.askFor(place + 2);
            }
        }

        @Override
        LeaseRequest.Listener listener(KeyQueues.Ticket ticket) {
            if (!any.mayWait()) {
                return ticket;
            }
            return new LeaseRequest.Listener() {

                @Override
                public void refused() {
                    ticket.refused();
                    any.askFor(place + 2);
                }

                @Override
                public void failed(Throwable cause) {
                    ticket.failed(cause);
                    any.askFor(place + 2);
                }
            };
        }

        @Override
        boolean claim() {
            return any.claim(this);
        }

        @Override
        int permit() {
            return permit;
        }

        @Override
        void publishEnd(Function<String, LockEvent> event) {
            // The caller asked for any of them.
        }

        @Override
        PendingAcquisition call() {
            return any;
        }

        @Override
        Duration waited() {
            return any.waited();
        }
    }
}
