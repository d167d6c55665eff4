package io.distlock.leader;

import io.distlock.HeldLock;
import io.distlock.support.Backoff;
import io.distlock.support.Futures;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an instance does from when it stands until it withdraws: ask for the role's lock, lead while it has the lock, pause,
 * ask again. One step at a time, each begun by the end of the one before, on whichever thread that is. Thread-safe.
 */
final class Candidacy {

    private static final Logger log = LoggerFactory.getLogger(LeaderElection.class);

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));

    /** So that others can be elected, also where a store does not notify them: they ask again within a second. */
    private static final Duration PAUSE_AFTER_RESIGNATION = Duration.ofSeconds(2);

    private final DefaultLeaderElection election;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean withdrawn;
    private volatile Runnable interruption = () -> {};
    private volatile @Nullable Term term;

    Candidacy(DefaultLeaderElection election) {
        this.election = election;
    }

    void start() {
        ask();
    }

    boolean isWithdrawn() {
        return withdrawn;
    }

    Optional<Term> term() {
        return Optional.ofNullable(term);
    }

    /** Completes when nothing of it is left at the store. */
    CompletableFuture<Void> withdraw() {
        withdrawn = true;
        interruption.run();
        return ended.copy();
    }

    /** Completes when, after its end, no listener is running any more. */
    CompletableFuture<Void> quiet() {
        return ended.thenCompose(over -> term().map(last -> last.told().thenAccept(reason -> {}))
                .orElseGet(() -> CompletableFuture.completedFuture(null)));
    }

    /** What to do with the step that is about to wait if the instance withdraws, or has just done so; harmless if repeated. */
    private void interruptBy(Runnable interruption) {
        this.interruption = interruption;
        if (withdrawn) {
            interruption.run();
        }
    }

    private void ask() {
        if (withdrawn) {
            ended.complete(null);
            return;
        }
        CompletableFuture<Optional<HeldLock>> asked;
        try {
            asked = election.client().tryAcquireAsync(election.request());
        } catch (RuntimeException | Error failure) {
            asked = CompletableFuture.failedFuture(failure);
        }
        CompletableFuture<Optional<HeldLock>> answer = asked;
        interruptBy(() -> answer.cancel(true));
        answer.whenComplete((granted, failure) -> {
            if (failure != null) {
                askAfter(failure);
            } else if (granted.isPresent()) {
                lead(granted.get());
            } else {
                failures.set(0);
                pauseAfterFailure();
            }
        });
    }

    private void askAfter(Throwable failure) {
        if (failures.get() == 0 && !withdrawn) {
            log.warn(
                    "Cannot stand for '{}', and will try again: {}",
                    election.role(),
                    Futures.cause(failure).getMessage());
        }
        pauseAfterFailure();
    }

    private void pauseAfterFailure() {
        pause(BACKOFF.pause(failures.incrementAndGet(), election.runtime().random()));
    }

    private void pause(Duration time) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        var timer = election.runtime().scheduler().schedule(() -> over.complete(null), time);
        interruptBy(() -> over.complete(null));
        over.thenRun(() -> {
            timer.cancel();
            ask();
        });
    }

    private void lead(HeldLock lock) {
        if (withdrawn) {
            lock.releaseAsync().thenRun(() -> ended.complete(null));
            return;
        }
        Term next = new Term(election, lock);
        term = next;
        next.begin();
        interruptBy(() -> {
            next.revoke(Revocation.WITHDRAWN);
            next.givenBack().thenRun(() -> ended.complete(null));
        });
        // Not while a listener still hears of this term.
        next.givenBack()
                .thenCombine(next.told(), (lockIsFree, reason) -> reason)
                .thenAccept(this::standAgain);
    }

    private void standAgain(Revocation reason) {
        if (reason != Revocation.FAILED) {
            failures.set(0);
        }
        if (reason == Revocation.RESIGNED) {
            pause(PAUSE_AFTER_RESIGNATION);
        } else {
            pauseAfterFailure();
        }
    }
}
