package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.etcd.QueueFinding.Standing;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.etcd.jetcd.ByteSequence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Places that are asked for, left and withdrawn on one session, in every order in which the server may carry that out. */
class QueueTransactionsTests {

    private static final LockKey KEY = LockKey.of("queue");
    private static final Duration TIME = Duration.ofSeconds(60);

    /** A server, a session and its transactions. */
    private static final class World implements AutoCloseable {

        final FakeEtcd etcd = new FakeEtcd();
        final QueueTransactions queue = new QueueTransactions(etcd.calls, etcd.keys);
        final Session session = session();

        Session session() {
            return new Session(
                    etcd.calls,
                    etcd.ticker,
                    etcd.calls.grant(TIME.toSeconds()).join(),
                    true,
                    etcd.ticker.now(),
                    () -> {});
        }

        QueuePlace place(String owner) {
            return place(session, LockMode.EXCLUSIVE, owner, TIME);
        }

        /** Asked for now: with the epoch that its session has now. */
        QueuePlace place(Session session, LockMode mode, String owner, Duration waitTime) {
            LockOptions options = LockOptions.defaults().withLockDelay(Duration.ofMillis(1500));
            LeaseRequest request = new LeaseRequest(KEY, mode, owner, options, Deadline.in(waitTime, etcd.ticker));
            ByteSequence key = etcd.keys.place(KEY, mode, session.id(), 0, owner);
            return new QueuePlace(request, key, session, 0, session.epoch());
        }

        boolean exists(QueuePlace place) {
            return etcd.places("queue").contains(FakeEtcd.text(place.key()));
        }

        Standing enter(QueuePlace place) {
            return (Standing) queue.enter(place).join();
        }

        @Override
        public void close() {
            etcd.close();
        }
    }

    private static List<List<Integer>> orders(int count) {
        List<List<Integer>> all = new ArrayList<>(List.of(List.of()));
        for (int next = 0; next < count; next++) {
            List<List<Integer>> longer = new ArrayList<>();
            for (List<Integer> each : all) {
                for (int at = 0; at <= each.size(); at++) {
                    List<Integer> order = new ArrayList<>(each);
                    order.add(at, next);
                    longer.add(order);
                }
            }
            all = longer;
        }
        return all;
    }

    /** Whatever comes first: once a withdrawal was answered, its place does not exist and never will. */
    @Test
    void inEveryOrderAWithdrawnPlaceNeverExistsOnceItsWithdrawalWasAnswered() {
        for (boolean used : List.of(false, true)) {
            for (List<Integer> order : orders(5)) {
                try (World world = new World()) {
                    if (used) {
                        world.enter(world.place("earlier"));
                    }
                    world.etcd.holdBack();
                    QueuePlace one = world.place("owner-1");
                    QueuePlace other = world.place("owner-2");
                    QueuePlace kept = world.place("owner-3");
                    world.queue.enter(one);
                    world.queue.enter(other);
                    CompletableFuture<QueueFinding> entering = world.queue.enter(kept);
                    var withdrawals = List.of(world.queue.withdraw(one), world.queue.withdraw(other));
                    List<FakeEtcd.Call> calls = List.copyOf(world.etcd.pending);
                    for (int next : order) {
                        calls.get(next).answer();
                        assertGone(world, one, withdrawals.get(0), order);
                        assertGone(world, other, withdrawals.get(1), order);
                    }
                    assertThat(entering.join() instanceof Standing)
                            .as("in order %s", order)
                            .isEqualTo(world.exists(kept));
                    assertThat(world.session.isLost()).isFalse();
                }
            }
        }
    }

    private static void assertGone(
            World world, QueuePlace place, CompletableFuture<Release> withdrawn, List<Integer> order) {
        if (withdrawn.isDone()) {
            assertThat(withdrawn).isCompletedWithValue(Release.RELEASED);
            assertThat(world.exists(place)).as("in order %s", order).isFalse();
        }
    }

    /** The epoch that is known is the newest of all that were answered, however late each answer comes. */
    @Test
    void inEveryOrderOfTheAnswersTheNextPlaceCanBeTaken() {
        for (List<Integer> order : orders(4)) {
            try (World world = new World()) {
                world.enter(world.place("earlier"));
                world.etcd.holdBack();
                for (int number = 0; number < 2; number++) {
                    QueuePlace place = world.place("owner-" + number);
                    world.queue.enter(place);
                    world.queue.withdraw(place);
                }
                List<FakeEtcd.Call> calls = List.copyOf(world.etcd.pending);
                calls.forEach(FakeEtcd.Call::carryOut);
                order.forEach(next -> calls.get(next).answer());
                world.etcd.answerAtOnce();
                assertThat(world.queue.enter(world.place("next")).join())
                        .as("in order %s", order)
                        .isInstanceOf(Standing.class);
            }
        }
    }

    @Test
    void eachFindsTheNewestPlaceThatItsModeWaitsFor() {
        try (World world = new World()) {
            QueuePlace reader = world.place(world.session, LockMode.SHARED, "reader", TIME);
            QueuePlace writer = world.place("writer");
            QueuePlace late = world.place(world.session(), LockMode.SHARED, "late", TIME);
            QueuePlace last = world.place(world.session(), LockMode.EXCLUSIVE, "last", TIME);
            assertThat(world.enter(reader).predecessor()).isEmpty();
            QueuePlace second = world.place(world.session, LockMode.EXCLUSIVE, "writer", TIME);
            Standing writing = world.enter(second);
            assertThat(writing.predecessor()).contains(reader.key());
            assertThat(writing.lockDelayAhead()).isEqualTo(Duration.ofMillis(1500));
            Standing reading = world.enter(late);
            assertThat(reading.predecessor()).contains(writer.key());
            assertThat(world.enter(last).predecessor()).contains(late.key());
            assertThat(((Standing) world.queue
                                    .look(late, reading.createRevision(), writer.key())
                                    .join())
                            .predecessor())
                    .contains(writer.key());
            world.etcd.remove(FakeEtcd.text(writer.key()));
            Standing free = (Standing) world.queue
                    .look(late, reading.createRevision(), writer.key())
                    .join();
            assertThat(free.predecessor()).isEmpty();
            assertThat(free.leaseGone()).isFalse();
            assertThat(free.lockDelayAhead()).isZero();
            assertThat(free.createRevision()).isEqualTo(reading.createRevision());
            assertThat(free.seen()).isGreaterThan(reading.seen());
        }
    }

    @Test
    void aLookTellsWhetherTheOneAheadOrThePlaceItselfLostItsLease() {
        try (World world = new World()) {
            Session ahead = world.session();
            QueuePlace holder = world.place(ahead, LockMode.EXCLUSIVE, "holder", TIME);
            world.enter(holder);
            QueuePlace waiter = world.place("waiter");
            long own = world.enter(waiter).createRevision();
            world.etcd.revoke(ahead.id());
            assertThat(world.queue.look(waiter, own, holder.key()).join().leaseGone())
                    .isTrue();
            assertThat(world.queue.look(waiter, own, null).join().leaseGone()).isFalse();
            world.etcd.remove(FakeEtcd.text(waiter.key()));
            assertThat(world.queue.look(waiter, own, null).join()).isEqualTo(new QueueFinding.Gone(false));
            world.etcd.revoke(world.session.id());
            assertThat(world.queue.look(waiter, own, null).join()).isEqualTo(new QueueFinding.Gone(true));
        }
    }

    @Test
    void whoDoesNotWaitTakesAPlaceOnlyIfNobodyIsAheadOfItsMode() {
        try (World world = new World()) {
            assertThat(world.queue
                            .enter(world.place(world.session, LockMode.SHARED, "reader", Duration.ZERO))
                            .join())
                    .isInstanceOf(Standing.class);
            Session other = world.session();
            assertThat(world.queue
                            .enter(world.place(other, LockMode.EXCLUSIVE, "writer", Duration.ZERO))
                            .join())
                    // It does not know the epoch of a session that was never used; the next time it does.
                    .isEqualTo(new QueueFinding.Occupied());
            assertThat(world.queue
                            .enter(world.place(other, LockMode.SHARED, "reader", Duration.ZERO))
                            .join())
                    .isInstanceOf(Standing.class);
            assertThat(world.etcd.places("queue")).hasSize(2);
        }
    }

    @Test
    void whoDoesNotWaitAndKnowsAnOldEpochIsToAskAgain() {
        try (World world = new World()) {
            world.enter(world.place("other"));
            QueuePlace place = world.place(world.session, LockMode.EXCLUSIVE, "owner", Duration.ZERO);
            world.queue.withdraw(world.place("withdrawn")).join();
            assertThat(world.queue.enter(place).join()).isEqualTo(new QueueFinding.Refused());
            assertThat(world.queue
                            .enter(world.place(world.session, LockMode.EXCLUSIVE, "owner", Duration.ZERO))
                            .join())
                    .isEqualTo(new QueueFinding.Occupied());
        }
    }

    @Test
    void onASessionThatIsGoneNothingIsTakenAndItIsLost() {
        try (World world = new World()) {
            QueuePlace place = world.place("owner");
            world.etcd.revoke(world.session.id());
            assertThat(world.queue.enter(place).join()).isEqualTo(new QueueFinding.Refused());
            assertThat(world.session.isLost()).isTrue();
            assertThat(world.queue.withdraw(place)).isCompletedWithValue(Release.RELEASED);
        }
    }

    @Test
    void aFailureIsPassedOnAndLosesNothing() {
        try (World world = new World()) {
            world.etcd.holdBack();
            var entering = world.queue.enter(world.place("owner"));
            var withdrawing = world.queue.withdraw(world.place("owner"));
            List.copyOf(world.etcd.pending).forEach(FakeEtcd.Call::breakOff);
            assertThat(entering).isCompletedExceptionally();
            assertThat(withdrawing).isCompletedExceptionally();
            assertThat(world.session.isLost()).isFalse();
        }
    }

    @Test
    void placesAreLeftAndKeptByTheirCreateRevision() {
        try (World world = new World()) {
            QueuePlace place = world.place("owner");
            long created = world.enter(place).createRevision();
            long lease = world.etcd.calls.grant(90).join().getID();
            for (long wrong : List.of(created - 1, created + 1)) {
                assertThat(world.queue.leave(place.key(), wrong)).isCompletedWithValue(Release.NOT_OWNER);
                assertThat(world.queue.keep(place.key(), wrong, lease)).isCompletedWithValue(Release.NOT_OWNER);
            }
            assertThat(world.queue.keep(place.key(), created, lease)).isCompletedWithValue(Release.RELEASED);
            world.etcd.revoke(world.session.id());
            assertThat(world.exists(place)).isTrue();
            assertThat(world.queue.leave(place.key(), created)).isCompletedWithValue(Release.RELEASED);
            assertThat(world.exists(place)).isFalse();
            assertThat(world.queue.leave(place.key(), created)).isCompletedWithValue(Release.NOT_OWNER);
        }
    }

    @Test
    void aSessionsKeyIsKeptOnlyIfItExists() {
        try (World world = new World()) {
            long lease = world.etcd.calls.grant(90).join().getID();
            world.queue.keepSessionKey(world.session, lease).join();
            assertThat(world.etcd.places("")).isEmpty();
            world.enter(world.place("owner"));
            world.queue.keepSessionKey(world.session, lease).join();
            world.etcd.revoke(world.session.id());
            assertThat(world.etcd.places("")).hasSize(1);
        }
    }
}
