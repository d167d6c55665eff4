package io.distlock.etcd;

import io.distlock.LockUnavailableException;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.support.Backoff;
import io.etcd.jetcd.ByteSequence;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition on its way: gets a session, takes a place in the lock's queue, and looks who is ahead until nobody is.
 *
 * <p>At any moment it is either busy with one step, or parked with a timer. Its fields belong to the step.
 */
final class EtcdAcquisition extends CompletableFuture<Optional<Grant>> {

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(20), Duration.ofSeconds(1));

    /** What an answer that was asked for in time may be late. */
    private static final Duration LATE_ANSWER = Duration.ofMillis(100);

    /** The longest that one who waits relies on its watch alone. */
    private static final Duration LONGEST_TRUST = Duration.ofSeconds(5);

    private final EtcdQueue queue;
    private final LeaseRequest request;
    private final long startedNanos;
    private final Lookout lookout;
    private final Turn turn;
    private final Foothold foothold;

    private int failures;
    private @Nullable Throwable lastFailure;

    EtcdAcquisition(EtcdQueue queue, LeaseRequest request) {
        this.queue = queue;
        this.request = request;
        this.startedNanos = queue.runtime().ticker().nanos();
        this.foothold = new Foothold(queue, request);
        this.turn = new Turn(queue.runtime().scheduler(), () -> goOn(this::advance));
        this.lookout = new Lookout(queue.watches(), turn::wake);
    }

    // --- one step after the other ---

    /** The next step; called from outside for the first. */
    void advance() {
        turn.looks();
        if (foothold.isNowhere()) {
            CompletableFuture<Session> session = queue.sessions().enter(request);
            await(session, this::entered, () -> session.thenAccept(queue.sessions()::leave));
        } else {
            await(foothold.look(), this::found);
        }
    }

    private <T> void await(CompletableFuture<T> stage, Consumer<T> next) {
        await(stage, next, () -> {});
    }

    /**
     * Waits for one answer, in limited time, and goes on with it.
     *
     * @param tooLate what to do if it has not come in time
     */
    private <T> void await(CompletableFuture<T> stage, Consumer<T> next, Runnable tooLate) {
        queue.runtime().timeouts().within(answerLimit(), stage).whenComplete((answer, failure) -> {
            if (failure == null) {
                lastFailure = null;
                next.accept(answer);
            } else {
                tooLate.run();
                failed(CallFailure.of("a call", failure));
            }
        });
    }

    /** A wait of zero gets a whole round trip; any other ends soon after its deadline, whatever the store does. */
    private Duration answerLimit() {
        Duration remaining = request.deadline().remaining();
        return remaining.isZero()
                ? queue.callTimeout()
                : Limits.shorter(remaining.plus(LATE_ANSWER), queue.callTimeout());
    }

    private void failed(CallFailure failure) {
        request.progress().failed(failure);
        lastFailure = failure;
        failures++;
        if (failure.mayBeApplied()) {
            foothold.mayBeTaken();
        }
        if (failure.isLeaseNotFound() && !foothold.isNowhere()) {
            foothold.place().session().lost();
            lose();
        }
        goOn(() -> park(BACKOFF.pause(failures)));
    }

    /** Goes on, unless it is over: cancelled, or past the deadline. */
    private void goOn(Runnable next) {
        if (isDone()) {
            finish();
        } else if (request.deadline().hasPassed()) {
            end();
        } else {
            next.run();
        }
    }

    // --- what was found ---

    private void entered(Session session) {
        foothold.on(session);
        if (isDone()) {
            finish();
        } else {
            advance();
        }
    }

    private void found(Place.Finding finding) {
        if (finding instanceof Place.Standing standing) {
            foothold.found(standing);
            found(standing.ahead());
        } else {
            lose();
            goOn(this::advance);
        }
    }

    private void found(Place.Ahead ahead) {
        if (isDone()) {
            finish();
        } else if (ahead instanceof Place.Ahead.Nobody) {
            grantIfFresh();
        } else if (ahead instanceof Place.Ahead.Predecessor predecessor) {
            if (request.deadline().hasPassed()) {
                leaveRefused();
            } else {
                waitFor(predecessor.key());
            }
        } else {
            advance();
        }
    }

    /** The place is gone: the next step takes another. */
    private void lose() {
        lookout.close();
        foothold.forget();
    }

    // --- the lock is ours ---

    /** A grant on a session that was not extended for long would be over before it is of use. */
    private void grantIfFresh() {
        Session session = foothold.place().session();
        long age = session.validSince(request.renewedTimeToLive())
                .elapsedNanos(queue.runtime().ticker());
        if (age <= request.options().leaseTime().toNanos() / 2) {
            grant();
        } else {
            await(session.keepAlive(), this::extended);
        }
    }

    private void extended(Renewal renewal) {
        switch (renewal) {
            case RENEWED -> grant();
            case NOT_OWNER -> {
                lose();
                goOn(this::advance);
            }
            case UNKNOWN -> failed(CallFailure.unanswered("keeping the session alive"));
        }
    }

    private void grant() {
        lookout.close();
        Grant grant = queue.hold(foothold.toLease());
        if (!complete(Optional.of(grant))) {
            queue.holdings().abandon((EtcdLease) grant.lease());
        }
        finish();
    }

    // --- waiting ---

    private void waitFor(ByteSequence predecessor) {
        request.progress().refused();
        queue.enlist(this, foothold.place());
        if (lookout.isOn(predecessor)) {
            failures = 0;
            park(Limits.shorter(LONGEST_TRUST, request.options().leaseTime().dividedBy(3)));
        } else {
            await(lookout.on(predecessor, foothold.place().key()), standing -> goOn(this::advance));
        }
    }

    private void park(Duration time) {
        if (!turn.park(Limits.shorter(time, request.deadline().remaining()))) {
            advance();
        } else if (isDone()) {
            // Cancelled just before, while it was still busy.
            turn.take();
        }
    }

    // --- the end ---

    /** The deadline has passed. */
    private void end() {
        Throwable failure = lastFailure;
        if (failure != null) {
            completeExceptionally(silent(failure));
            finish();
        } else if (foothold.isCertain()) {
            leaveUnheard(Deadline.in(queue.callTimeout(), queue.runtime().ticker()), 1);
        } else {
            complete(Optional.empty());
            finish();
        }
    }

    /**
     * It has just been said that somebody is ahead. Whoever comes next must not find this one waiting, so it is over only
     * once the place is gone; but does not wait long for a silent server.
     */
    private void leaveRefused() {
        lookout.close();
        foothold.leave(queue.callTimeout().dividedBy(2)).whenComplete((release, failure) -> {
            complete(Optional.empty());
            finish();
        });
    }

    /**
     * The last that was heard may be old: only an answer to leaving says that the store was there to the end, and that
     * somebody else has the lock. Asks until there is one, for the time of one call.
     */
    private void leaveUnheard(Deadline limit, int tries) {
        lookout.close();
        foothold.leave(limit.remaining()).whenComplete((release, failure) -> {
            Duration pause = BACKOFF.pause(tries);
            if (failure == null) {
                complete(Optional.empty());
            } else if (!isDone() && limit.remaining().compareTo(pause) > 0) {
                queue.runtime().scheduler().schedule(() -> leaveUnheard(limit, tries + 1), pause);
                return;
            } else {
                completeExceptionally(silent(failure));
            }
            finish();
        });
    }

    void fail(String why) {
        completeExceptionally(unavailable(why, null));
        settle();
    }

    private LockUnavailableException silent(Throwable failure) {
        return unavailable("etcd did not answer within the wait time", failure);
    }

    private LockUnavailableException unavailable(String why, @Nullable Throwable cause) {
        Duration waited = Duration.ofNanos(queue.runtime().ticker().nanos() - startedNanos);
        return new LockUnavailableException(request.key(), waited, why, cause);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        settle();
        return cancelled;
    }

    private void finish() {
        turn.ends();
        settle();
    }

    /** Once it is over and no step is under way: leaves nothing behind, here or at the store. */
    private void settle() {
        if (!turn.settles()) {
            return;
        }
        queue.delist(this);
        lookout.close();
        foothold.giveUp();
    }
}
