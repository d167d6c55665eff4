package io.distlock.spring.execution;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import io.distlock.spring.execution.Execution.Body;
import io.distlock.spring.execution.ReferenceCountedLock.Reference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The locks that a call holds, innermost first; decides whether an inner call may run under them, needs another lock,
 * or would wait for itself. Bound to the call's thread for as long as its body runs on it, however the body ends; in a
 * publisher, the value of the key {@code HeldLocks.class} in the subscription's context instead. Not for applications, which
 * use {@code io.distlock.spring.LockContext}. Immutable.
 */
public final class HeldLocks {

    private static final HeldLocks NONE = new HeldLocks(List.of(), 0);

    private static final ThreadLocal<@Nullable HeldLocks> CURRENT = new ThreadLocal<>();

    /** Scopes on this thread, which keep locks of calls that have returned. A scope that has ended keeps nothing. */
    private static final ThreadLocal<@Nullable List<EnclosingScope>> SCOPES = new ThreadLocal<>();

    private final List<ReferenceCountedLock> locks;
    private final int ofThisCall;
    private volatile @Nullable HeldLock joint;

    /** The innermost call takes or enters the first {@code ofThisCall} of them. */
    private HeldLocks(List<ReferenceCountedLock> locks, int ofThisCall) {
        this.locks = locks;
        this.ofThisCall = ofThisCall;
    }

    /** Those of the current call. */
    public static HeldLocks current() {
        HeldLocks held = CURRENT.get();
        return held == null ? NONE : held;
    }

    /** Around a new call: the locks of this thread's call and, outside them, those kept by scopes on this thread. */
    public static HeldLocks reachable() {
        List<EnclosingScope> scopes = SCOPES.get();
        if (scopes == null) {
            return current();
        }
        return current()
                .aroundNewCall(
                        scopes.stream().flatMap(scope -> scope.kept().stream()).toList());
    }

    /** Makes the locks that the scope keeps available to calls on this thread, until {@link #leave}. */
    public static void enter(EnclosingScope scope) {
        List<EnclosingScope> scopes = SCOPES.get();
        if (scopes == null) {
            scopes = new ArrayList<>();
            SCOPES.set(scopes);
        }
        // A scope ended by another thread, e.g. on a transaction manager's timeout, was never left here.
        scopes.removeIf(each -> each.kept().isEmpty());
        scopes.add(scope);
    }

    public static void leave(EnclosingScope scope) {
        List<EnclosingScope> scopes = SCOPES.get();
        if (scopes != null && scopes.remove(scope) && scopes.isEmpty()) {
            SCOPES.remove();
        }
    }

    /** Runs the body on this thread as a call that holds these locks. */
    @Nullable
    Object call(Body body) throws Throwable {
        HeldLocks outer = CURRENT.get();
        CURRENT.set(this);
        try {
            return body.run();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    /** With these locks inside, for a call that takes or enters the first {@code ofThisCall} of all. */
    HeldLocks with(List<Reference> innermost, int ofThisCall) {
        if (ofThisCall == 1 && this.ofThisCall == 1 && innermost.get(0).target() == locks.get(0)) {
            // The only lock of the call around this one is also that of this one.
            return this;
        }
        List<ReferenceCountedLock> more = new ArrayList<>(locks.size() + innermost.size());
        innermost.forEach(each -> more.add(each.target()));
        more.addAll(locks);
        return new HeldLocks(more, ofThisCall);
    }

    /** For a call inside this one that may take none, with more locks outside all others. */
    HeldLocks aroundNewCall(List<ReferenceCountedLock> outermost) {
        return new HeldLocks(Stream.concat(locks.stream(), outermost.stream()).toList(), 0);
    }

    /** Innermost first. */
    public List<ReferenceCountedLock> locks() {
        return locks;
    }

    /** Without those of calls around this one that have returned, and released them; innermost first. */
    public List<ReferenceCountedLock> referenced() {
        return IntStream.range(0, locks.size())
                .filter(index -> index < ofThisCall || locks.get(index).isReferenced())
                .mapToObj(locks::get)
                .toList();
    }

    /** The locks of the innermost call as one, as its body sees them; empty if no call is locked. */
    public Optional<HeldLock> innermost() {
        if (ofThisCall <= 1) {
            return locks.stream().findFirst().map(ReferenceCountedLock::unreleasable);
        }
        HeldLock known = joint;
        if (known == null) {
            // The same object each time: each one stays known to its parts until they end.
            known = ReferenceCountedLock.joint(locks.subList(0, ofThisCall));
            joint = known;
        }
        return Optional.of(known);
    }

    /** Each lock, outermost first, as the body sees it. */
    public List<HeldLock> all() {
        List<HeldLock> all = new ArrayList<>();
        referenced().forEach(lock -> all.add(0, lock.unreleasable()));
        return all.stream().distinct().toList();
    }

    /** The innermost lock with such a key, as the body sees it. */
    public Optional<HeldLock> holding(Predicate<LockKey> key) {
        return locks.stream()
                .filter(lock -> lock.keys().stream().anyMatch(key))
                .findFirst()
                .map(ReferenceCountedLock::unreleasable);
    }

    /**
     * References the held locks that together satisfy a request to the same client; they may have been lost. Not to the
     * same provider name: another application in this JVM may have a provider of that name with another store.
     *
     * @return empty if the request has no key in common with what is held
     * @throws IllegalStateException if the request could only wait for its own call's lock
     */
    List<Reference> reenter(LockTask task) {
        if (locks.isEmpty()) {
            return List.of();
        }
        LockRequest request = task.request();
        List<LockKey> asked = request.keys();
        Collection<LockKey> missing = asked.size() == 1 ? asked : new LinkedHashSet<>(asked);
        List<Reference> entered = List.of();
        for (ReferenceCountedLock held : locks) {
            boolean isWanted = held.client() == task.client() && held.satisfies(missing, request.permits());
            Reference reference = isWanted ? held.addReference() : null;
            if (reference != null) {
                if (asked.size() == 1) {
                    entered = List.of(reference);
                    missing = List.of();
                } else {
                    entered = Stream.concat(entered.stream(), Stream.of(reference))
                            .toList();
                    held.lock().keys().forEach(missing::remove);
                }
            }
        }
        try {
            for (Reference each : entered) {
                requireMode(each.lock(), request);
            }
            requireAllOrNone(entered, missing, request);
        } catch (RuntimeException refusal) {
            entered.forEach(Reference::closeAsync);
            throw refusal;
        }
        for (Reference each : entered) {
            each.target().fence(task.policy().fenced());
        }
        return entered;
    }

    private static void requireMode(HeldLock held, LockRequest request) {
        if (held.mode() == LockMode.SHARED && request.mode() == LockMode.EXCLUSIVE) {
            throw new IllegalStateException("this call holds " + held.keys() + " SHARED and asks for "
                    + request.keys() + " EXCLUSIVE: it would wait for itself. Take the outer lock EXCLUSIVE, or call"
                    + " the inner method after the outer one has returned");
        }
    }

    private static void requireAllOrNone(List<Reference> entered, Collection<LockKey> missing, LockRequest request) {
        if (!entered.isEmpty() && !missing.isEmpty()) {
            throw new IllegalStateException("this call asks for " + request.keys() + ", of which it holds all but "
                    + missing + ": it could wait for itself. Take all of them together in the outermost method");
        }
    }
}
