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
        if (queue.isClosed()) {
            turn.ends();
            fail("the provider is closed");
        } else if (foothold.isNowhere()) {
            await(queue.sessions().enter(request, queue.answerLimit(request)), this::entered);
        } else if (foothold.isDoubtful()) {
            await(inTime(foothold.withdraw()), release -> lose());
        } else {
            await(inTime(foothold.look(lookout.ahead())), this::found);
        }
    }

    private <T> CompletableFuture<T> inTime(CompletableFuture<T> stage) {
        return queue.runtime().timeouts().within(queue.answerLimit(request), stage);
    }

    /** Waits for one answer, which comes or fails in limited time, and goes on with it. */
    private <T> void await(CompletableFuture<T> stage, Consumer<T> next) {
        stage.whenComplete((answer, failure) -> {
            if (failure == null) {
                next.accept(answer);
            } else {
                failed(CallFailure.of("a call", failure));
            }
        });
    }

    private void failed(CallFailure failure) {
        request.progress().failed(failure);
        lastFailure = failure;
        failures++;
        if (failure.mayBeApplied()) {
            foothold.mayBeTaken();
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

    private void entered(Session session) {
        foothold.on(session);
        advanceUnlessDone();
    }

    private void found(Place.Finding finding) {
        if (finding instanceof Place.Standing standing) {
            foothold.found(standing);
            lastFailure = null;
            if (standing.leaseGone()) {
                lookout.offAhead();
            }
            found(standing.ahead());
        } else if (finding instanceof Place.Refused) {
            // Nothing was said of the lock: asks again even if the deadline has passed, but not for ever.
            foothold.forget();
            if (request.deadline().remainingNanos() + queue.callTimeout().toNanos() < 0) {
                endSilent(CallFailure.unanswered("taking a place in the queue"));
            } else {
                advanceUnlessDone();
            }
        } else if (finding instanceof Place.Gone gone) {
            foothold.found(gone);
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

    private void found(Place.Ahead ahead) {
        if (isDone()) {
            finish();
        } else if (ahead instanceof Place.Ahead.Nobody && !foothold.grace().isZero()) {
            waitOutGrace();
        } else if (ahead instanceof Place.Ahead.Nobody) {
            grantIfFresh(0);
        } else if (ahead instanceof Place.Ahead.Predecessor predecessor) {
            if (request.deadline().hasPassed()) {
                leave(true, queue.limit(queue.callTimeout().dividedBy(2)), 1);
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
        goOn(this::advance);
    }

    /**
     * A grant on a session that was not extended for long would be over before it is of use. One that is not renewed has to
     * have its whole lease. The first answer may be to a keepalive that was under way already; the second is not.
     */
    private void grantIfFresh(int extensions) {
        Session session = foothold.place().session();
        long age = session.validSince(request.renewedTimeToLive())
                .elapsedNanos(queue.runtime().ticker());
        long most = request.options().leaseTime().toNanos() / (request.options().renew() ? 2 : 100);
        if (age <= most || extensions == 2) {
            grant();
        } else {
            await(inTime(session.keepAlive()), renewal -> extended(renewal, extensions + 1));
        }
    }

    private void extended(Renewal renewal, int extensions) {
        switch (renewal) {
            case RENEWED -> grantIfFresh(extensions);
            case NOT_OWNER -> {
                // By the clock alone; the place may still be there, before those of others.
                foothold.giveUp();
                lose();
            }
            case UNKNOWN -> failed(CallFailure.unanswered("keeping the session alive"));
        }
    }

    private void grant() {
        lookout.close();
        Grant grant = queue.holdings().add(foothold.toLease());
        if (!complete(Optional.of(grant))) {
            queue.holdings().abandon((EtcdLease) grant.lease());
        }
        finish();
    }

    // --- waiting ---

    /** Nobody is ahead, but who was may not know yet that its lock is lost. */
    private void waitOutGrace() {
        lastFailure = CallFailure.leaseLost();
        request.progress().failed(lastFailure);
        queue.enlist(this);
        goOn(() -> park(foothold.grace()));
    }

    private void waitFor(ByteSequence predecessor) {
        request.progress().refused();
        queue.enlist(this);
        if (lookout.isOn(predecessor)) {
            failures = 0;
            park(Limits.shorter(LONGEST_TRUST, request.options().leaseTime().dividedBy(3)));
        } else {
            await(inTime(lookout.on(predecessor, foothold.place().key())), standing -> goOn(this::advance));
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
            endSilent(failure);
        } else if (foothold.isCertain() && foothold.grace().isZero()) {
            leave(false, queue.limit(queue.callTimeout()), 1);
        } else {
            complete(Optional.empty());
            finish();
        }
    }

    /**
     * Whoever comes next must not find this one waiting, so it is over only once the place is gone. If it has just been said
     * that somebody is ahead, a silent server is not waited for long. Otherwise what was heard last may be old: only an answer
     * to leaving says that the store was there to the end, and that somebody else has the lock; asks until there is one.
     */
    private void leave(boolean refused, Deadline limit, int tries) {
        lookout.close();
        foothold.leave(limit.remaining()).whenComplete((release, failure) -> {
            Duration pause = BACKOFF.pause(tries);
            if (failure == null || refused) {
                complete(Optional.empty());
                finish();
            } else if (!isDone() && limit.remaining().compareTo(pause) > 0) {
                queue.runtime().scheduler().schedule(() -> leave(false, limit, tries + 1), pause);
            } else {
                endSilent(failure);
            }
        });
    }

    private void endSilent(Throwable failure) {
        boolean answered = CallFailure.LEASE_LOST.equals(failure.getMessage());
        String why = answered ? CallFailure.LEASE_LOST : "etcd did not answer within the wait time";
        completeExceptionally(unavailable(why, failure));
        finish();
    }

    void fail(String why) {
        completeExceptionally(unavailable(why, null));
        settle();
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
