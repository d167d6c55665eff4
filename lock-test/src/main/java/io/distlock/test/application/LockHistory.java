package io.distlock.test.application;

import io.distlock.FencingToken;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockListener;
import java.util.ArrayList;
import java.util.List;

/** Remembers what happened to the locks of a client. Thread-safe. */
final class LockHistory implements LockListener {

    private final List<LockEvent> events = new ArrayList<>();

    @Override
    public synchronized void onEvent(LockEvent event) {
        events.add(event);
    }

    synchronized void forget() {
        events.clear();
    }

    synchronized <E extends LockEvent> List<E> of(Class<E> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    <E extends LockEvent> List<E> of(Class<E> kind, LockKey key) {
        return of(kind).stream().filter(event -> event.key().equals(key)).toList();
    }

    boolean tellsOfTheLossOf(LockKey key, FencingToken token) {
        return of(LockEvent.Lost.class, key).stream()
                .anyMatch(lost -> lost.loss().token().equals(token));
    }
}
