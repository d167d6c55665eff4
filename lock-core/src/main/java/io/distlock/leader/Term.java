package io.distlock.leader;

import io.distlock.HeldLock;
import io.distlock.LockLoss;
import io.distlock.Release;
import io.distlock.support.CallsInFlight;
import io.distlock.support.LockScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One term: from the grant of the role's lock until it has been given back. Revoked once, by whoever is first: its user, the
 * loss of the lock, or the clock. Thread-safe.
 */
final class Term {

    private static final Logger log = LoggerFactory.getLogger(LeaderElection.class);

    /** What part of the lease is the margin: listeners are to be told before the lock can expire. */
    private static final int MARGIN = 10;

    private final DefaultLeaderElection election;
    private final LeaderTerm facts;
    private final HeldLock lock;
    private final Duration margin;
    private final CompletableFuture<Void> begun = new CompletableFuture<>();
    private final CompletableFuture<Revocation> revocation = new CompletableFuture<>();
    private final CompletableFuture<Revocation> told;
    private final CompletableFuture<Void> givenBack;
    private final CallsInFlight working = new CallsInFlight();
    private final Set<TermLock> entered = ConcurrentHashMap.newKeySet();
    private final Runnable look = this::look;
    private volatile LockScheduler.Scheduled timer = () -> {};

    Term(DefaultLeaderElection election, HeldLock lock) {
        this.election = election;
        this.facts = new LeaderTerm(election.role(), lock.fencingToken(), election.now());
        this.lock = lock;
        this.margin = election.request().options().leaseTime().dividedBy(MARGIN);
        Executor callbacks = election.client().callbacks();
        this.told = begun.thenRunAsync(this::tellElected, callbacks)
                .thenCombineAsync(revocation, (elected, reason) -> tellRevoked(reason), callbacks);
        this.givenBack =
                revocation.thenCompose(reason -> awaitListenersAndWork()).thenCompose(over -> giveBack());
    }

    /** From here on it can be revoked. */
    void begin() {
        log.info(
                "This instance leads '{}' (term {})",
                facts.role(),
                facts.token().value());
        begun.complete(null);
        lock.onLost(this::lost);
        election.runtime().clockJumps().add(look);
        revocation.thenRun(() -> {
            election.runtime().clockJumps().remove(look);
            timer.cancel();
        });
        look();
    }

    LeaderTerm facts() {
        return facts;
    }

    /** Once false, it stays so. */
    boolean isCurrent() {
        if (revocation.isDone()) {
            return false;
        }
        Duration left = lock.remaining();
        if (left.compareTo(margin) > 0) {
            return !revocation.isDone();
        }
        // If nothing is left, the lock is lost for good, and says why.
        if (!left.isZero()) {
            revoke(Revocation.EXPIRED);
        }
        return false;
    }

    /** Checks the clock, and comes back when the time until the margin, as it is now, is over. */
    private void look() {
        if (isCurrent()) {
            timer = election.runtime()
                    .scheduler()
                    .schedule(look, lock.remaining().minus(margin));
            if (revocation.isDone()) {
                timer.cancel();
            }
        }
    }

    private void lost(LockLoss news) {
        revoke(Revocation.of(news.reason()));
        entered.forEach(each -> each.lost(news));
    }

    /** False if the term had ended before. */
    boolean revoke(Revocation reason) {
        return revocation.complete(reason);
    }

    // --- listeners ---

    private void tellElected() {
        tell(election.listeners(), listener -> listener.onElected(facts), failure -> {
            log.error("A listener failed on the election for '{}', so this instance resigns", facts.role(), failure);
            revoke(Revocation.FAILED);
        });
    }

    private Revocation tellRevoked(Revocation reason) {
        log.info(
                "This instance no longer leads '{}' (term {}): {}",
                facts.role(),
                facts.token().value(),
                reason.explanation());
        List<LeaderListener> lastFirst = new ArrayList<>(election.listeners());
        Collections.reverse(lastFirst);
        tell(
                lastFirst,
                listener -> listener.onRevoked(facts, reason),
                failure ->
                        log.error("A listener failed on the end of a term as leader of '{}'", facts.role(), failure));
        return reason;
    }

    private static void tell(
            List<LeaderListener> listeners, Consumer<LeaderListener> event, Consumer<Throwable> failed) {
        for (LeaderListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable failure) {
                // Of any kind, for example if it is written in Kotlin.
                failed.accept(failure);
            }
        }
    }

    /** Completes when listeners have been told of its end. */
    CompletableFuture<Revocation> told() {
        return told;
    }

    // --- work ---

    Optional<HeldLock> enter() {
        working.begin();
        TermLock work = new TermLock(lock, election.client().callbacks(), this::leave);
        entered.add(work);
        if (!isCurrent()) {
            work.release();
            return Optional.empty();
        }
        // The lock was held after the work had been entered, so the work hears of its loss.
        return Optional.of(work);
    }

    private Release leave(TermLock work) {
        entered.remove(work);
        Release release = lock.isHeld() ? Release.RELEASED : Release.NOT_OWNER;
        working.end();
        return release;
    }

    // --- the end ---

    private CompletableFuture<Void> awaitListenersAndWork() {
        CompletableFuture<Void> over = CompletableFuture.allOf(told, working.drained());
        return election.runtime()
                .timeouts()
                .within(election.revokeTimeout(), over)
                .handle((done, failure) -> failure == null)
                .thenAccept(this::logIfLate);
    }

    private void logIfLate(boolean inTime) {
        if (!inTime) {
            log.warn(
                    "This instance gives back the lock of '{}' although {} still runs: it took longer than the revoke"
                            + " timeout of {} ms",
                    facts.role(),
                    told.isDone() ? "work of its term" : "a listener",
                    election.revokeTimeout().toMillis());
        }
    }

    private CompletableFuture<Void> giveBack() {
        return lock.releaseAsync().toCompletableFuture().thenAccept(released -> {});
    }

    /** Completes when the lock is released or lost. */
    CompletableFuture<Void> givenBack() {
        return givenBack;
    }
}
