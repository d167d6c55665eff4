package io.distlock.spring.context;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The locks that a call holds, innermost first. Immutable. */
public final class CallChain {

    /** Of a call that holds no lock. */
    public static final CallChain EMPTY = new CallChain(List.of());

    private final List<Hold> holds;

    private CallChain(List<Hold> holds) {
        this.holds = holds;
    }

    /** With one more lock inside all others. */
    public CallChain with(Hold innermost) {
        List<Hold> more = new ArrayList<>(holds.size() + 1);
        more.add(innermost);
        more.addAll(holds);
        return new CallChain(more);
    }

    /** With more locks outside all others. */
    public CallChain within(List<Hold> outermost) {
        if (outermost.isEmpty()) {
            return this;
        }
        List<Hold> more = new ArrayList<>(holds);
        more.addAll(outermost);
        return new CallChain(more);
    }

    public boolean isEmpty() {
        return holds.isEmpty();
    }

    /** Innermost first. */
    public List<Hold> holds() {
        return holds;
    }

    /** The lock that was taken last, as the body sees it. */
    public Optional<HeldLock> innermost() {
        return holds.isEmpty() ? Optional.empty() : Optional.of(holds.get(0).lent());
    }

    /** The innermost lock with this name, as the body sees it. */
    public Optional<HeldLock> named(String name) {
        return holds.stream().filter(hold -> hold.isNamed(name)).findFirst().map(Hold::lent);
    }

    /**
     * Goes in under the lock, or under the locks together, that already give a request all it asks for.
     *
     * @param client whom the request would go to. Not the provider's name: another application in this JVM has one of
     *     the same name, and another store behind it
     * @return empty if the request has no key in common with what is held
     * @throws io.distlock.LockLostException if such a lock was lost
     * @throws IllegalStateException if the request could only wait for a lock of its own call
     */
    public Optional<Stay> enter(LockClient client, LockRequest request) {
        return Reentry.enter(holds, client, request);
    }

    static CallChain orEmpty(@Nullable CallChain chain) {
        return chain == null ? EMPTY : chain;
    }
}
