package io.distlock.etcd;

import io.distlock.etcd.client.EtcdCallException;
import io.distlock.etcd.watch.WatchedKey;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.support.Backoff;
import io.distlock.support.WaitingAcquisition;
import io.etcd.jetcd.ByteSequence;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One acquisition: gets a session, takes a place in the queue, and waits until nobody is ahead. */
final class EtcdAcquisition extends WaitingAcquisition {

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(20), Duration.ofSeconds(1));

    /** The longest that a waiter relies on its watch alone. */
    private static final Duration LONGEST_TRUST = Duration.ofSeconds(5);

    private final EtcdQueues queues;
    private final Deadline unwatched;
    private final QueuePosition position;

    // Watches only wake it: whether its turn has come is then seen in a transaction.
    private @Nullable ByteSequence ahead;
    private WatchedKey watchedAhead = WatchedKey.NONE;
    private WatchedKey watchedOwn = WatchedKey.NONE;

    private int failures;
    private @Nullable Throwable lastFailure;

    EtcdAcquisition(EtcdQueues queues, LeaseRequest request) {
        super(queues.runtime, request);
        this.queues = queues;
        this.unwatched = queues.limit(EtcdLease.UNWATCHED);
        this.position = new QueuePosition(queues, request);
    }

    @Override
    protected void advance() {
        asks();
        if (queues.isClosed()) {
            failClosed();
            finish();
        } else if (position.isNowhere()) {
            await(queues.sessions.enter(request, queues.answerLimit(request)), session -> {
                position.on(session);
                advanceUnlessDone();
            });
        } else if (position.isDoubtful()) {
            await(inTime(queues.transactions.withdraw(position.place())), release -> lose());
        } else {
            await(inTime(position.look(ahead)), this::found);
        }
    }

    private <T> CompletableFuture<T> inTime(CompletableFuture<T> stage) {
        return queues.runtime.timeouts().within(queues.answerLimit(request), stage);
    }

    /** Waits for one answer, which arrives or fails in bounded time, and passes it on. */
    private <T> void await(CompletableFuture<T> stage, Consumer<T> next) {
        stage.whenComplete((answer, failure) -> {
            if (failure == null) {
                next.accept(answer);
            } else {
                failed(EtcdCallException.of("a call", failure));
            }
        });
    }

    private void failed(EtcdCallException failure) {
        request.listener().failed(failure);
        lastFailure = failure;
        failures++;
        if (failure.mayBeApplied()) {
            position.mayBeTaken();
        }
        if (failure.isDenied()) {
            endUnavailable(failure);
        } else {
            goOn(() -> parkFor(BACKOFF.pause(failures)));
        }
    }

    private void found(QueueFinding finding) {
        position.found(finding);
        if (finding instanceof QueueFinding.Standing standing) {
            lastFailure = null;
            if (standing.leaseGone()) {
                unwatchAhead();
            }
            found(standing.predecessor());
        } else if (finding instanceof QueueFinding.Occupied) {
            request.listener().refused();
            complete(Optional.empty());
            finish();
        } else if (finding instanceof QueueFinding.Refused) {
            // This says nothing about the lock: ask again even past the deadline, but not forever.
            position.forget();
            if (request.deadline().remainingNanos() + queues.callTimeout.toNanos() < 0) {
                endUnavailable(EtcdCallException.unanswered("taking a place in the queue"));
            } else {
                advanceUnlessDone();
            }
        } else {
            lose();
        }
    }

    private void advanceUnlessDone() {
        if (isDone()) {
            finish();
        } else {
            advance();
        }
    }

    private void found(Optional<ByteSequence> predecessor) {
        if (isDone()) {
            finish();
        } else if (predecessor.isEmpty() && !position.grace().isZero()) {
            waitOutGrace();
        } else if (predecessor.isEmpty()) {
            grantIfFresh();
        } else if (request.deadline().hasPassed()) {
            leave(true, queues.limit(queues.callTimeout.dividedBy(2)), 1);
        } else {
            waitFor(predecessor.get());
        }
    }

    /** The place is gone: the next step takes another. */
    private void lose() {
        unwatch();
        position.forget();
        goOn(this::advance);
    }

    /**
     * A grant on a session that was extended long ago would soon expire. A lock that is not renewed needs nearly its whole
     * lease: at most 1 % of it may be over, otherwise half.
     */
    private void grantIfFresh() {
        Session session = position.place().session();
        long age = session.validSince(request.renewedTimeToLive()).elapsedNanos(queues.runtime.ticker());
        long most = request.options().leaseTime().toNanos() / (request.options().renew() ? 2 : 100);
        if (age <= most) {
            grant();
        } else {
            await(inTime(session.keepAliveFromNow()), this::extended);
        }
    }

    private void extended(Renewal renewal) {
        switch (renewal) {
            case RENEWED -> grant();
            case NOT_OWNER -> {
                // By the clock alone; the place may still exist, ahead of others.
                position.giveUp();
                lose();
            }
            case UNKNOWN -> failed(EtcdCallException.unanswered("keeping the session alive"));
        }
    }

    private void grant() {
        unwatch();
        Grant grant = position.toGrant();
        if (queues.isClosed()) {
            // Its session may have been given up before the lock was counted.
            failClosed();
        }
        if (!complete(Optional.of(grant))) {
            queues.leases.abandon((EtcdLease) grant.lease());
        }
        finish();
    }

    /** Nobody is ahead, but the previous holder may not know yet that its lock is lost. */
    private void waitOutGrace() {
        lastFailure = EtcdCallException.leaseLost();
        request.listener().failed(lastFailure);
        queues.enlist(this);
        goOn(() -> {
            if (watchedOwn.isLive()) {
                parkFor(position.grace());
            } else {
                watchOwn(this::waitOutGrace);
            }
        });
    }

    private void waitFor(ByteSequence predecessor) {
        request.listener().refused();
        queues.enlist(this);
        if (!predecessor.equals(ahead) || !watchedAhead.isLive()) {
            unwatchAhead();
            ahead = predecessor;
            watchedAhead = watch(predecessor);
            awaitStanding(watchedAhead, () -> waitFor(predecessor));
        } else if (!watchedOwn.isLive() && unwatched.hasPassed()) {
            watchOwn(() -> waitFor(predecessor));
        } else {
            failures = 0;
            Duration trust =
                    shorter(LONGEST_TRUST, request.options().leaseTime().dividedBy(3));
            parkFor(watchedOwn.isLive() ? trust : shorter(trust, unwatched.remaining()));
        }
    }

    private void watchOwn(Runnable next) {
        watchedOwn.close();
        watchedOwn = watch(position.place().key());
        awaitStanding(watchedOwn, next);
    }

    private WatchedKey watch(ByteSequence key) {
        return queues.watches.watch(key, position.standing().seen(), this::wake);
    }

    /** Looks again once the watch is established, unless nothing has changed since the last look. */
    private void awaitStanding(WatchedKey watch, Runnable unchanged) {
        Duration limit = shorter(LONGEST_TRUST, queues.answerLimit(request));
        await(queues.runtime.timeouts().within(limit, watch), nothing -> goOn(nothing ? unchanged : this::advance));
    }

    private void unwatchAhead() {
        watchedAhead.close();
        ahead = null;
    }

    private void unwatch() {
        unwatchAhead();
        watchedOwn.close();
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private void parkFor(Duration time) {
        park(shorter(time, request.deadline().remaining()));
    }

    @Override
    protected void end() {
        Throwable failure = lastFailure;
        if (failure != null) {
            endUnavailable(failure);
        } else if (position.isCertain() && position.grace().isZero()) {
            leave(false, queues.limit(queues.callTimeout), 1);
        } else {
            complete(Optional.empty());
            finish();
        }
    }

    /**
     * Ends once the place is gone: the next caller must not find this one waiting. It does not wait long if a predecessor was
     * just seen; otherwise only an answer shows that the store was available to the end.
     */
    private void leave(boolean refused, Deadline limit, int tries) {
        unwatch();
        position.leave(limit.remaining()).whenComplete((release, failure) -> {
            Duration pause = BACKOFF.pause(tries);
            if (failure == null || refused) {
                complete(Optional.empty());
                finish();
            } else if (!isDone() && limit.remaining().compareTo(pause) > 0) {
                queues.runtime.scheduler().schedule(() -> leave(false, limit, tries + 1), pause);
            } else {
                endUnavailable(failure);
            }
        });
    }

    private void endUnavailable(Throwable failure) {
        EtcdCallException known = EtcdCallException.of("a call", failure);
        String why = String.valueOf(known.getMessage());
        fail(known.mayBeApplied() ? "etcd granted no lock within the wait time: " + why : why, failure);
        finish();
    }

    @Override
    protected void settle() {
        queues.strike(this);
        unwatch();
        position.giveUp();
    }
}
