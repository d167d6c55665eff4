package io.distlock.engine;

import io.distlock.LockKey;
import io.distlock.LockMode;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The local queues, one for each key, first come first served: only one of this process's calls for a key, or
 * several shared ones, may ask the store at a time. A queue exists only while a call is in it. Thread-safe; callbacks
 * run outside any lock.
 */
final class KeyQueues {

    private static final Logger log = LoggerFactory.getLogger(KeyQueues.class);

    private final ConcurrentHashMap<LockKey, KeyQueue> queues = new ConcurrentHashMap<>();

    /** The store's latest reply for a key, shared with callers queued behind the one that asked. */
    sealed interface StoreReply {

        StoreReply NONE = new None();
        StoreReply TAKEN = new Taken();

        record None() implements StoreReply {}

        /** The key is held, by the call that asked or by another. */
        record Taken() implements StoreReply {}

        /** No answer from the store, or an error. */
        record Failed(Throwable cause) implements StoreReply {}
    }

    static final class Ticket {

        private final LockKey key;
        private final LockMode mode;
        // Both guarded by the map's lock on the key. The callback is dropped on admission, since a ticket lives
        // as long as its lock is held.
        private @Nullable Runnable onTurn;
        private boolean admitted;

        private volatile StoreReply reply = StoreReply.NONE;

        /**
         * @param onTurn called once when a queued ticket is admitted, but not if it is admitted on entry. Never
         *     throws: it runs on the thread of the caller that left
         */
        Ticket(LockKey key, LockMode mode, Runnable onTurn) {
            this.key = key;
            this.mode = mode;
            this.onTurn = onTurn;
        }

        void replied(StoreReply latest) {
            reply = latest;
        }
    }

    private static final class KeyQueue {

        private int shared;
        private boolean exclusive;
        private @Nullable Ticket lastAdmitted;
        private StoreReply reply = StoreReply.NONE;
        private Set<Ticket> waiting = Set.of();
        // Admitted but not yet called back; null until a call has to wait. One thread at a time calls them back.
        private @Nullable Queue<Runnable> turns;
        private boolean calling;

        boolean admits(LockMode mode) {
            return !exclusive && (mode == LockMode.SHARED || shared == 0);
        }

        void admit(Ticket ticket) {
            ticket.admitted = true;
            ticket.onTurn = null;
            lastAdmitted = ticket;
            if (ticket.mode == LockMode.EXCLUSIVE) {
                exclusive = true;
            } else {
                shared++;
            }
        }

        void enqueue(Ticket ticket) {
            if (turns == null) {
                waiting = new LinkedHashSet<>();
                turns = new ArrayDeque<>();
            }
            waiting.add(ticket);
        }

        boolean remove(Ticket ticket) {
            if (!ticket.admitted) {
                return turns != null && waiting.remove(ticket);
            }
            ticket.admitted = false;
            reply = reply();
            if (ticket.mode == LockMode.EXCLUSIVE) {
                exclusive = false;
            } else {
                shared--;
            }
            return true;
        }

        /** The reply to the call that was admitted last or, until it has one, to the calls before it. */
        StoreReply reply() {
            return lastAdmitted == null || lastAdmitted.reply == StoreReply.NONE ? reply : lastAdmitted.reply;
        }

        void admitWaiters() {
            for (var heads = waiting.iterator(); heads.hasNext(); ) {
                Ticket head = heads.next();
                if (!admits(head.mode)) {
                    break;
                }
                heads.remove();
                Objects.requireNonNull(turns).add(Objects.requireNonNull(head.onTurn));
                admit(head);
            }
        }

        /** True if there are callbacks to run, and no other thread runs them. */
        boolean beginCalling() {
            if (calling || turns == null || turns.isEmpty()) {
                return false;
            }
            calling = true;
            return true;
        }

        @Nullable
        Runnable nextTurn() {
            Runnable next = turns == null ? null : turns.poll();
            calling = next != null;
            return next;
        }

        boolean isUnused() {
            return !exclusive && shared == 0 && waiting.isEmpty() && !calling;
        }
    }

    /** True if the ticket is admitted at once; otherwise it waits in the queue. */
    boolean enter(Ticket ticket) {
        return enter(ticket, true);
    }

    /** True if the ticket is admitted at once; otherwise it is not queued. */
    boolean tryEnter(Ticket ticket) {
        return enter(ticket, false);
    }

    private boolean enter(Ticket ticket, boolean mayQueue) {
        boolean[] admitted = new boolean[1];
        queues.compute(ticket.key, (key, existing) -> {
            KeyQueue queue = existing == null ? new KeyQueue() : existing;
            if (queue.admits(ticket.mode) && queue.waiting.isEmpty()) {
                queue.admit(ticket);
                admitted[0] = true;
            } else if (mayQueue) {
                queue.enqueue(ticket);
            }
            return queue;
        });
        return admitted[0];
    }

    /** Leaves the queue and admits the next. Idempotent. */
    void leave(Ticket ticket) {
        boolean[] calls = new boolean[1];
        queues.computeIfPresent(ticket.key, (key, queue) -> {
            if (queue.remove(ticket)) {
                queue.admitWaiters();
                calls[0] = queue.beginCalling();
            }
            return queue.isUnused() ? null : queue;
        });
        if (calls[0]) {
            callBack(ticket.key);
        }
    }

    /** Iterative: admitted callers may leave immediately, and recursing over a long queue would overflow the stack. */
    private void callBack(LockKey key) {
        for (Runnable turn = nextTurn(key); turn != null; turn = nextTurn(key)) {
            try {
                turn.run();
            } catch (RuntimeException | Error failure) {
                // Otherwise no more callers would be admitted.
                log.error("A call admitted to the queue of '{}' failed", key, failure);
            }
        }
    }

    private @Nullable Runnable nextTurn(LockKey key) {
        @Nullable Runnable[] next = new @Nullable Runnable[1];
        queues.computeIfPresent(key, (same, queue) -> {
            next[0] = queue.nextTurn();
            return queue.isUnused() ? null : queue;
        });
        return next[0];
    }

    /** The store's latest reply to the admitted calls; none if there are none. */
    StoreReply reply(LockKey key) {
        StoreReply[] reply = {StoreReply.NONE};
        queues.computeIfPresent(key, (same, queue) -> {
            reply[0] = queue.reply();
            return queue;
        });
        return reply[0];
    }

    int size() {
        return queues.size();
    }
}
