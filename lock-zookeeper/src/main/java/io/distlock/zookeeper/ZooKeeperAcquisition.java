package io.distlock.zookeeper;

import io.distlock.Release;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.support.Backoff;
import io.distlock.support.WaitingAcquisition;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One acquisition: gets a session, takes a place in the queue, and waits until nobody is ahead. */
final class ZooKeeperAcquisition extends WaitingAcquisition {

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(20), Duration.ofSeconds(1));

    private final ZooKeeperQueues queues;
    private final String queue;

    private @Nullable ZooKeeperSession session;

    /** By which its node is found again if the answer to its creation is lost. Null if there is none. */
    private @Nullable String id;

    private @Nullable QueuePlace place;
    private @Nullable String watched;

    private int failures;
    private @Nullable Throwable lastFailure;
    private final Runnable waking = this::wake;

    ZooKeeperAcquisition(ZooKeeperQueues queues, LeaseRequest request) {
        super(queues.runtime, request);
        this.queues = queues;
        this.queue = queues.paths.queue(request.key());
    }

    @Override
    protected void advance() {
        asks();
        ZooKeeperSession current = session;
        if (queues.isClosed()) {
            failClosed();
            finish();
        } else if (current == null) {
            await(queues.sessions.enter(request.renewedTimeToLive(), queues.answerLimit(request)), entered -> {
                session = entered;
                advanceUnlessDone();
            });
        } else if (current.isLost()) {
            giveUp();
            goOn(this::advance);
        } else if (place != null) {
            QueuePlace own = place;
            await(inTime(current.calls().list(queue)), names -> found(own, names));
        } else if (id != null) {
            find(current, id);
        } else {
            enqueue(current, false);
        }
    }

    private void enqueue(ZooKeeperSession current, boolean withAncestors) {
        String own = UUID.randomUUID().toString();
        id = own;
        String prefix = QueueNode.prefix(own, queues.options.layout(), request.mode());
        List<String> ancestors = withAncestors ? queues.paths.ancestors(queue) : List.of();
        inTime(current.calls().enqueue(ancestors, queue, prefix, request.owner()))
                .whenComplete((made, failure) -> {
                    if (failure == null) {
                        taken(current, made);
                        return;
                    }
                    ZooKeeperCallException refused = ZooKeeperCallException.of(failure);
                    if (!refused.mayBeApplied()) {
                        id = null;
                    }
                    if (refused.isNoNode() && !withAncestors) {
                        enqueue(current, true);
                    } else {
                        failed(refused);
                    }
                });
    }

    private void taken(ZooKeeperSession current, SessionCalls.Enqueued made) {
        QueueNode node = QueueNode.of(made.path().substring(queue.length() + 1)).orElseThrow();
        QueuePlace taken = new QueuePlace(
                request,
                current,
                queue,
                node,
                made.stat().getCzxid(),
                made.stat().getCtime(),
                queues.runtime.ticker().nanos());
        place = taken;
        found(taken, made.names());
    }

    /** Its node may have been made, though the answer was lost: then it keeps its place. */
    private void find(ZooKeeperSession current, String lost) {
        await(inTime(queues.find(current, queue, lost)), made -> {
            if (made.isPresent()) {
                taken(current, made.get());
            } else {
                queues.reap(current, queue, lost, request.owner());
                id = null;
                goOn(this::advance);
            }
        });
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
                failed(ZooKeeperCallException.of(failure));
            }
        });
    }

    private void failed(ZooKeeperCallException failure) {
        request.listener().failed(failure);
        lastFailure = failure;
        failures++;
        if (failure.isNoNode()) {
            // The whole queue was deleted, and what this one had in it.
            place = null;
            id = null;
        }
        if (failure.isFinal()) {
            endUnavailable(failure);
        } else {
            goOn(() -> parkFor(BACKOFF.pause(failures)));
        }
    }

    private void advanceUnlessDone() {
        if (isDone()) {
            finish();
        } else {
            advance();
        }
    }

    private void found(QueuePlace own, List<String> names) {
        lastFailure = null;
        Optional<QueueNode> ahead = own.node().predecessor(QueueNode.queue(names));
        if (isDone()) {
            finish();
        } else if (!names.contains(own.node().name())) {
            // Deleted by somebody: the next step takes another place.
            place = null;
            id = null;
            goOn(this::advance);
        } else if (ahead.isEmpty()) {
            grantIfFresh(own);
        } else {
            request.listener().refused();
            if (request.deadline().hasPassed()) {
                // First, since it need not be answered: the next attempt comes over the same session.
                giveUp();
                complete(Optional.empty());
                finish();
            } else {
                waitFor(own, ahead.get());
            }
        }
    }

    /**
     * A grant on a session that was confirmed long ago would soon expire. A lock that is not renewed needs nearly its whole
     * lease: at most 1 % of it may be over, otherwise half.
     */
    private void grantIfFresh(QueuePlace own) {
        long most = request.options().leaseTime().toNanos() / (request.options().renew() ? 2 : 100);
        if (own.session().age().toNanos() <= most) {
            grant(own);
            return;
        }
        await(inTime(own.session().confirm()), renewal -> {
            if (renewal == Renewal.RENEWED && own.session().age().toNanos() <= most) {
                grant(own);
            } else {
                failed(ZooKeeperCallException.unconfirmed());
            }
        });
    }

    private void grant(QueuePlace own) {
        unwatch();
        Grant grant = queues.leases.add(own);
        place = null;
        id = null;
        session = null;
        if (queues.isClosed()) {
            // Its session may have been ended before the lock was counted.
            failClosed();
        }
        if (!complete(Optional.of(grant))) {
            queues.leases.abandon((ZooKeeperLease) grant.lease());
        }
        finish();
    }

    private void waitFor(QueuePlace own, QueueNode ahead) {
        queues.enlist(this);
        unwatch();
        String path = queue + '/' + ahead.name();
        watched = path;
        inTime(own.session().calls().watch(path, waking)).whenComplete((content, failure) -> {
            if (failure != null && ZooKeeperCallException.of(failure).isNoNode()) {
                goOn(this::advance);
            } else if (failure != null) {
                failed(ZooKeeperCallException.of(failure));
            } else if (ahead.keptFor().isPresent()) {
                waitOut(own, path, ahead.keptFor().get(), content.stat().getCtime());
            } else {
                failures = 0;
                // As seen when the watch began.
                request.listener().refused();
                goOn(() -> parkFor(request.deadline().remaining()));
            }
        });
    }

    /** Nobody holds the lock, and who kept it may be gone. Both times are the leader's, which made this one's node later. */
    private void waitOut(QueuePlace own, String path, Duration keptFor, long sinceMillis) {
        Duration left = keptFor.minusMillis(own.madeMillis() - sinceMillis)
                .minusNanos(queues.runtime.ticker().nanos() - own.madeNanos());
        if (left.isNegative()) {
            await(inTime(own.session().calls().delete(path)), release -> goOn(this::advance));
        } else {
            goOn(() -> parkFor(left.plusMillis(1)));
        }
    }

    private void unwatch() {
        ZooKeeperSession current = session;
        if (watched != null && current != null) {
            current.calls().unwatch(watched, waking);
        }
        watched = null;
    }

    private void parkFor(Duration time) {
        Duration remaining = request.deadline().remaining();
        park(time.compareTo(remaining) < 0 ? time : remaining);
    }

    @Override
    protected void end() {
        Throwable failure = lastFailure;
        QueuePlace own = place;
        if (failure != null) {
            endUnavailable(failure);
        } else if (own == null) {
            complete(Optional.empty());
            finish();
        } else {
            leave(own);
        }
    }

    /** Only an answer shows that the store was available to the end. */
    private void leave(QueuePlace own) {
        own.session().calls().delete(own.path()).thenAccept(release -> {
            if (release == Release.UNKNOWN) {
                endUnavailable(ZooKeeperCallException.unconfirmed());
            } else {
                place = null;
                id = null;
                complete(Optional.empty());
                finish();
            }
        });
    }

    private void endUnavailable(Throwable failure) {
        fail(String.valueOf(ZooKeeperCallException.of(failure).getMessage()), failure);
        finish();
    }

    @Override
    protected void settle() {
        queues.strike(this);
        giveUp();
    }

    /** Leaves the queue and the session, in the background. */
    private void giveUp() {
        unwatch();
        ZooKeeperSession from = session;
        QueuePlace left = place;
        String what = id;
        if (from != null) {
            if (left != null) {
                queues.leave(left);
            } else if (what != null) {
                queues.reap(from, queue, what, request.owner());
            }
            from.leave();
        }
        session = null;
        place = null;
        id = null;
    }
}
