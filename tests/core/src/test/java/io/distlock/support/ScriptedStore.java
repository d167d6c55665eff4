package io.distlock.support;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store that answers what the test says, when the test says it. */
final class ScriptedStore implements TryLockStore {

    final List<CompletableFuture<Result>> attempts = new ArrayList<>();
    final List<Boolean> repeated = new ArrayList<>();
    /** Whether it looks for all who wait. */
    boolean looks;

    /** Whether a subscription stands already. */
    boolean isListening;

    final List<CompletableFuture<Subscription>> subscriptions = new ArrayList<>();
    Runnable wake = () -> {};
    Release onWithdraw = Release.RELEASED;
    int withdrawals;
    int closedSubscriptions;
    int probes;
    boolean isBroken;
    boolean isDeaf;
    boolean isSlowToWithdraw;
    final CompletableFuture<Release> withdrawal = new CompletableFuture<>();

    private record Held(LockKey key, LockMode mode, String owner, FencingToken token) implements Lease {}

    @Override
    public CompletionStage<Result> attempt(LeaseRequest request, boolean again) {
        if (isBroken) {
            throw new IllegalStateException("thrown on purpose");
        }
        CompletableFuture<Result> answer = new CompletableFuture<>();
        attempts.add(answer);
        repeated.add(again);
        return answer;
    }

    @Override
    public CompletionStage<Release> withdraw(LeaseRequest request) {
        withdrawals++;
        return isSlowToWithdraw ? withdrawal : CompletableFuture.completedFuture(onWithdraw);
    }

    @Override
    public CompletionStage<Subscription> subscribe(LockKey key, Runnable toWake) {
        if (isDeaf) {
            throw new IllegalStateException("thrown on purpose");
        }
        wake = toWake;
        CompletableFuture<Subscription> made = new CompletableFuture<>();
        subscriptions.add(made);
        return made;
    }

    @Override
    public Optional<Subscription> join(LockKey key, Runnable toWake) {
        if (!isListening) {
            return Optional.empty();
        }
        subscribe(key, toWake);
        subscribed();
        return Optional.of(subscriptions.get(subscriptions.size() - 1).join());
    }

    /** Answers the last attempt. */
    void grant(LockKey key, Moment since) {
        answer(new Result.Granted(new Grant(new Held(key, LockMode.EXCLUSIVE, "owner", new FencingToken(1)), since)));
    }

    /** Answers the last attempt: another's key, which is free after this time at the latest. */
    void refuse(Duration freeIn) {
        answer(new Result.Refused(Optional.of(freeIn)));
    }

    /** Answers the last attempt. */
    void fail(boolean mayBeApplied) {
        fail("fails on purpose", mayBeApplied);
    }

    void fail(String why, boolean mayBeApplied) {
        answer(new Result.Failed(new IllegalStateException(why), mayBeApplied));
    }

    private void answer(Result attempt) {
        attempts.get(attempts.size() - 1).complete(attempt);
    }

    /** Answers the last attempt to subscribe. */
    void subscriptionFails() {
        subscriptions
                .get(subscriptions.size() - 1)
                .completeExceptionally(new IllegalStateException("fails on purpose"));
    }

    /** From here on nothing can be missed. */
    void subscribed() {
        subscriptions.get(subscriptions.size() - 1).complete(new Subscription() {
            @Override
            public void probe() {
                probes++;
            }

            @Override
            public boolean looksForWaiters() {
                return looks;
            }

            @Override
            public void close() {
                closedSubscriptions++;
            }
        });
    }
}
