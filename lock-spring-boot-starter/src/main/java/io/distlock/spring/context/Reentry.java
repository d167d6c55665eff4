package io.distlock.spring.context;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Whether a call that holds locks may go on under one of them, has to take another, or asks for the impossible. */
final class Reentry {

    private Reentry() {}

    static Optional<Stay> enter(List<Hold> holds, LockClient client, LockRequest request) {
        if (holds.isEmpty()) {
            return Optional.empty();
        }
        Set<LockKey> wanted = Set.copyOf(request.keys());
        for (Hold hold : holds) {
            if (hold.client() == client && hold.lock().keys().stream().anyMatch(wanted::contains)) {
                Optional<Stay> stay = hold.enter();
                if (stay.isPresent()) {
                    return Optional.of(checked(stay.get(), request));
                }
            }
        }
        return Optional.empty();
    }

    private static Stay checked(Stay stay, LockRequest request) {
        try {
            requireCovers(stay.lock(), request);
            return stay;
        } catch (RuntimeException refusal) {
            stay.closeAsync();
            throw refusal;
        }
    }

    private static void requireCovers(HeldLock held, LockRequest request) {
        if (held.mode() == LockMode.SHARED && request.mode() == LockMode.EXCLUSIVE) {
            throw new IllegalStateException("this call holds " + held.keys() + " SHARED and asks for "
                    + request.keys() + " EXCLUSIVE: it would wait for itself. Take the outer lock EXCLUSIVE, or call"
                    + " the inner method after the outer one has returned");
        }
        if (!new HashSet<>(held.keys()).containsAll(request.keys())) {
            throw new IllegalStateException("this call holds " + held.keys() + " and asks for " + request.keys()
                    + ", of which it holds some and not others: it would wait for itself. Take all of them together"
                    + " in the outermost method");
        }
        held.ensureHeld();
    }
}
