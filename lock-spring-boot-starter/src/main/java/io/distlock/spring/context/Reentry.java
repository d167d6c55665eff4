package io.distlock.spring.context;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Whether a call that holds locks may go on under them, has to take another, or asks for the impossible. */
final class Reentry {

    private Reentry() {}

    static Optional<Stay> enter(List<Hold> holds, LockClient client, LockRequest request) {
        if (holds.isEmpty()) {
            return Optional.empty();
        }
        Set<LockKey> missing = new LinkedHashSet<>(request.keys());
        List<Stay> entered = new ArrayList<>();
        for (Hold hold : holds) {
            if (hold.client() == client && hold.lock().keys().stream().anyMatch(missing::contains)) {
                hold.enter().ifPresent(stay -> {
                    entered.add(stay);
                    stay.lock().keys().forEach(missing::remove);
                });
            }
        }
        return entered.isEmpty() ? Optional.empty() : Optional.of(checked(entered, missing, client, request));
    }

    private static Stay checked(List<Stay> entered, Set<LockKey> missing, LockClient client, LockRequest request) {
        try {
            entered.forEach(stay -> requireMode(stay.lock(), request));
            requireNone(missing, request);
            entered.forEach(stay -> stay.lock().ensureHeld());
        } catch (RuntimeException refusal) {
            entered.forEach(Stay::closeAsync);
            throw refusal;
        }
        return entered.size() == 1 ? entered.get(0) : Hold.across(client, entered);
    }

    private static void requireMode(HeldLock held, LockRequest request) {
        if (held.mode() == LockMode.SHARED && request.mode() == LockMode.EXCLUSIVE) {
            throw new IllegalStateException("this call holds " + held.keys() + " SHARED and asks for "
                    + request.keys() + " EXCLUSIVE: it would wait for itself. Take the outer lock EXCLUSIVE, or call"
                    + " the inner method after the outer one has returned");
        }
    }

    private static void requireNone(Set<LockKey> missing, LockRequest request) {
        if (!missing.isEmpty()) {
            throw new IllegalStateException("this call asks for " + request.keys() + ", of which it holds all but "
                    + missing + ": it could wait for itself. Take all of them together in the outermost method");
        }
    }
}
