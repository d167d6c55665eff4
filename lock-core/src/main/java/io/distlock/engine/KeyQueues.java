package io.distlock.engine;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.spi.LeaseRequest;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The local queues, one for each key, first come first served: only one of this process's calls for a key, or
 * several shared ones, may ask the store at a time. A queue exists only while a call is in it. Thread-safe: its monitor
 * guards queues and tickets; callbacks run under no monitor.
 */
final class KeyQueues {

    private static final Logger log = LoggerFactory.getLogger(KeyQueues.class);

    private final Map<LockKey, KeyQueue> queues = new HashMap<>();

    /** The store's latest reply for a key, shared with callers queued behind the one that asked. */
    sealed interface StoreReply {

        enum Answer implements StoreReply {
            NONE,
            /** The key is held, by the call that asked or by another. */
            TAKEN
        }

        /** No answer from the store, or an error. */
        record Failed(Throwable cause) implements StoreReply {}
    }

    /** A call's place in its queue. Also the request's listener, so that the provider need not keep the call itself. */
    static final class Ticket implements LeaseRequest.Listener {

        private final LockKey key;
        private final LockMode mode;
        // Dropped on admission, since a ticket lives as long as its lock is held.
        private @Nullable Runnable onTurn;
        // While it is admitted.
        private volatile @Nullable KeyQueue queue;

        /** The callback runs once, if the ticket had to wait, on the thread of the caller that left. It never throws. */
        Ticket(LockKey key, LockMode mode, Runnable onTurn) {
            this.key = key;
            this.mode = mode;
            this.onTurn = onTurn;
        }

        @Override
        public void refused() {
            taken();
        }

        /** This call, or another, has the key. */
        void taken() {
            note(StoreReply.Answer.TAKEN);
        }

        @Override
        public void failed(Throwable cause) {
            note(new StoreReply.Failed(cause));
        }

        private void note(StoreReply reply) {
            KeyQueue asking = queue;
            if (asking != null) {
                asking.reply = reply;
            }
        }
    }

    private static final class KeyQueue {

        private int inside;
        private boolean exclusive;
        // Outlives the call that got it: until the next one has an answer, this may be a grant still held.
        private volatile StoreReply reply = StoreReply.Answer.NONE;
        private Set<Ticket> waiting = Set.of();
        // One thread at a time admits the waiting calls.
        private boolean admitting;

        boolean admits(LockMode mode) {
            return inside == 0 || (mode == LockMode.SHARED && !exclusive);
        }

        void admit(Ticket ticket) {
            ticket.queue = this;
            ticket.onTurn = null;
            exclusive = ticket.mode == LockMode.EXCLUSIVE;
            inside++;
        }

        void enqueue(Ticket ticket) {
            waiting = waiting.isEmpty() ? new LinkedHashSet<>() : waiting;
            waiting.add(ticket);
        }

        boolean remove(Ticket ticket) {
            if (ticket.queue == null) {
                return !waiting.isEmpty() && waiting.remove(ticket);
            }
            ticket.queue = null;
            inside--;
            return true;
        }

        /** Admits the first waiting call if its turn has come. */
        @Nullable
        Runnable admitNext() {
            Ticket head = waiting.isEmpty() ? null : waiting.iterator().next();
            admitting = head != null && admits(head.mode);
            if (head == null || !admitting) {
                return null;
            }
            waiting.remove(head);
            Runnable turn = head.onTurn;
            admit(head);
            return turn;
        }
    }

    /** True if the ticket is admitted at once; otherwise it waits in the queue if it may. */
    synchronized boolean enter(Ticket ticket, boolean mayQueue) {
        KeyQueue queue = queues.computeIfAbsent(ticket.key, key -> new KeyQueue());
        boolean atOnce = queue.waiting.isEmpty() && queue.admits(ticket.mode);
        if (atOnce) {
            queue.admit(ticket);
        } else if (mayQueue) {
            queue.enqueue(ticket);
        }
        return atOnce;
    }

    /** Leaves the queue and admits the next. Idempotent. */
    void leave(Ticket ticket) {
        // Iterative: admitted callers may leave immediately, and recursing over a long queue would overflow the stack.
        for (Runnable turn = left(ticket); turn != null; turn = admitNext(ticket.key)) {
            try {
                turn.run();
            } catch (RuntimeException | Error failure) {
                // Otherwise no more callers would be admitted.
                log.error("A call admitted to the queue of '{}' failed", ticket.key, failure);
            }
        }
    }

    private synchronized @Nullable Runnable left(Ticket ticket) {
        KeyQueue queue = queues.get(ticket.key);
        return queue == null || !queue.remove(ticket) || queue.admitting ? null : admitNext(ticket.key);
    }

    private synchronized @Nullable Runnable admitNext(LockKey key) {
        KeyQueue queue = queues.get(key);
        Runnable turn = queue == null ? null : queue.admitNext();
        if (queue != null && queue.inside == 0) {
            // Nobody waits either: the first one would have been admitted.
            queues.remove(key);
        }
        return turn;
    }

    /** The store's latest reply to the admitted calls; none if there are none. */
    synchronized StoreReply reply(LockKey key) {
        KeyQueue queue = queues.get(key);
        return queue == null ? StoreReply.Answer.NONE : queue.reply;
    }

    synchronized int size() {
        return queues.size();
    }
}
