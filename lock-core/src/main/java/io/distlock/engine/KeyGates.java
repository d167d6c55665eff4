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
 * The queue in front of the store, first come first served, exactly one for each key: of the calls of this process
 * that want a key, one at a time (or shared ones together) goes on to the store. A gate exists only while somebody
 * is in it. Thread-safe; callbacks run outside any lock.
 */
final class KeyGates {

    private static final Logger log = LoggerFactory.getLogger(KeyGates.class);

    private final ConcurrentHashMap<LockKey, Gate> gates = new ConcurrentHashMap<>();

    /** One call's place at the gate of a key. */
    static final class Ticket {

        private final LockKey key;
        private final LockMode mode;
        // Both guarded by the map's lock on the key. The callback is dropped once it has served: a ticket lives as
        // long as its lock is held.
        private @Nullable Runnable onTurn;
        private Place place = Place.OUTSIDE;

        /**
         * @param onTurn called once when a queued ticket is let in; not called if it is let in on entering
         */
        Ticket(LockKey key, LockMode mode, Runnable onTurn) {
            this.key = key;
            this.mode = mode;
            this.onTurn = onTurn;
        }
    }

    private enum Place {
        OUTSIDE,
        QUEUED,
        INSIDE
    }

    private static final class Gate {

        private int shared;
        private boolean exclusive;
        private @Nullable Set<Ticket> queue;
        // Who has been let in and not been told yet; there once there is a queue. One thread at a time tells them.
        private @Nullable Queue<Runnable> turns;
        private boolean telling;

        boolean admits(LockMode mode) {
            return !exclusive && (mode == LockMode.SHARED || shared == 0);
        }

        boolean hasQueue() {
            return queue != null && !queue.isEmpty();
        }

        void admit(Ticket ticket) {
            ticket.place = Place.INSIDE;
            ticket.onTurn = null;
            if (ticket.mode == LockMode.EXCLUSIVE) {
                exclusive = true;
            } else {
                shared++;
            }
        }

        void enqueue(Ticket ticket) {
            ticket.place = Place.QUEUED;
            if (queue == null) {
                queue = new LinkedHashSet<>();
                turns = new ArrayDeque<>();
            }
            queue.add(ticket);
        }

        void remove(Ticket ticket) {
            if (ticket.place == Place.QUEUED && queue != null) {
                queue.remove(ticket);
            } else if (ticket.mode == LockMode.EXCLUSIVE) {
                exclusive = false;
            } else {
                shared--;
            }
            ticket.place = Place.OUTSIDE;
        }

        void admitFromQueue() {
            if (queue == null || turns == null) {
                return;
            }
            for (var waiting = queue.iterator(); waiting.hasNext(); ) {
                Ticket head = waiting.next();
                if (!admits(head.mode)) {
                    break;
                }
                waiting.remove();
                turns.add(Objects.requireNonNull(head.onTurn));
                admit(head);
            }
        }

        /** True if there are turns to tell of, and nobody else is at it. */
        boolean beginTelling() {
            if (telling || turns == null || turns.isEmpty()) {
                return false;
            }
            telling = true;
            return true;
        }

        @Nullable
        Runnable nextTurn() {
            Runnable next = turns == null ? null : turns.poll();
            telling = next != null;
            return next;
        }

        boolean isUnused() {
            return !exclusive && shared == 0 && !hasQueue() && !telling;
        }
    }

    /** Goes in, or joins the queue; true if it is in. */
    boolean enter(Ticket ticket) {
        return enter(ticket, true);
    }

    /** Goes in only if that takes no waiting; true if it is in. */
    boolean tryEnter(Ticket ticket) {
        return enter(ticket, false);
    }

    private boolean enter(Ticket ticket, boolean mayQueue) {
        boolean[] inside = new boolean[1];
        gates.compute(ticket.key, (key, existing) -> {
            Gate gate = existing == null ? new Gate() : existing;
            if (gate.admits(ticket.mode) && !gate.hasQueue()) {
                gate.admit(ticket);
                inside[0] = true;
            } else if (mayQueue) {
                gate.enqueue(ticket);
            }
            return gate;
        });
        return inside[0];
    }

    /** Leaves the gate or its queue, and lets in whoever is next. Leaving again does nothing. */
    void leave(Ticket ticket) {
        boolean[] tells = new boolean[1];
        gates.computeIfPresent(ticket.key, (key, gate) -> {
            if (ticket.place != Place.OUTSIDE) {
                gate.remove(ticket);
                gate.admitFromQueue();
                tells[0] = gate.beginTelling();
            }
            return gate.isUnused() ? null : gate;
        });
        if (tells[0]) {
            tell(ticket.key);
        }
    }

    /** A loop and not a recursion: whoever is let in may leave at once, and the next one, too, a thousand times. */
    private void tell(LockKey key) {
        for (Runnable turn = nextTurn(key); turn != null; turn = nextTurn(key)) {
            try {
                turn.run();
            } catch (RuntimeException | Error failure) {
                // Or else nobody would be let in any more.
                log.error("A call that was let in to '{}' failed", key, failure);
            }
        }
    }

    private @Nullable Runnable nextTurn(LockKey key) {
        @Nullable Runnable[] next = new @Nullable Runnable[1];
        gates.computeIfPresent(key, (same, gate) -> {
            next[0] = gate.nextTurn();
            return gate.isUnused() ? null : gate;
        });
        return next[0];
    }

    /** How many keys have a gate now. */
    int size() {
        return gates.size();
    }
}
