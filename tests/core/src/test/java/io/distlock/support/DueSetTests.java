package io.distlock.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** When the members of a set are looked at, and what that costs. */
class DueSetTests {

    private static final class Member implements DueSet.Due {

        private volatile long due;
        private final long slack;
        private Runnable onLook = () -> {};

        Member(long due, long slack) {
            this.due = due;
            this.slack = slack;
        }

        @Override
        public long dueNanos() {
            onLook.run();
            return due;
        }

        @Override
        public long slackNanos() {
            return slack;
        }
    }

    private long now;
    private long timersEver;

    /** What waits for its time. One that has begun cannot be taken back any more. */
    private final List<Planned> planned = new ArrayList<>();

    private record Planned(long at, Runnable task) {}

    private final Ticker ticker = new Ticker() {
        @Override
        public long nanos() {
            return now;
        }

        @Override
        public long wallMillis() {
            return now / 1_000_000;
        }
    };

    private final LockScheduler scheduler = new LockScheduler() {
        @Override
        public Scheduled schedule(Runnable task, Duration delay) {
            timersEver++;
            Planned timer = new Planned(now + delay.toNanos(), task);
            planned.add(timer);
            return () -> planned.remove(timer);
        }

        @Override
        public void close() {}
    };

    private final List<List<Member>> rounds = new ArrayList<>();
    private Consumer<Member> handling = this::leave;
    private final DueSet<Member> set = new DueSet<>(ticker, scheduler, due -> {
        rounds.add(due);
        due.forEach(member -> handling.accept(member));
    });

    private void leave(Member member) {
        set.remove(member);
    }

    private Member add(long due) {
        return add(due, 0);
    }

    private Member add(long due, long slack) {
        Member member = new Member(due, slack);
        set.add(member);
        return member;
    }

    private Planned begin() {
        assertThat(planned).hasSize(1);
        Planned next = planned.remove(0);
        now = Math.max(now, next.at());
        return next;
    }

    private void round() {
        begin().task().run();
    }

    @Test
    void aMemberIsTakenWhenItIsDueAndTheOthersLater() {
        Member first = add(10_000_000);
        Member second = add(20_000_000);
        assertThat(timersEver).isEqualTo(1);
        round();
        assertThat(rounds).containsExactly(List.of(first));
        assertThat(planned.get(0).at()).isEqualTo(20_000_000);
        round();
        assertThat(rounds).containsExactly(List.of(first), List.of(second));
        assertThat(planned).isEmpty();
    }

    @Test
    void oneThatMayComeEarlierIsTakenAlongAndNeverWakesAnybodyByItself() {
        Member due = add(10_000_000);
        Member slack = add(11_000_000, 2_000_000);
        add(11_000_001);
        round();
        assertThat(now).isEqualTo(10_000_000);
        assertThat(rounds).containsExactly(List.of(due, slack));
    }

    @Test
    void aStallWhileMembersAreLookedAtPostponesNothingByMoreThanItself() {
        Member stalling = add(10_000_000);
        Member next = add(20_000_000);
        stalling.onLook = () -> {
            now += 1_000_000_000;
            stalling.onLook = () -> {};
        };
        round();
        round();
        assertThat(rounds).last().isEqualTo(List.of(next));
        assertThat(now).isLessThanOrEqualTo(1_020_000_000);
    }

    @Test
    void aStallOfTheHandlerPostponesNothingByMoreThanItself() {
        add(10_000_000);
        Member next = add(20_000_000);
        handling = member -> {
            now += 1_000_000_000;
            set.remove(member);
        };
        round();
        assertThat(planned.get(0).at()).isEqualTo(now);
        round();
        assertThat(rounds).last().isEqualTo(List.of(next));
    }

    @Test
    void aTimerThatHasBegunWhenItIsToBeMovedDoesNotLeaveTwo() {
        add(1_000_000_000);
        add(20_000_000);
        Planned begun = begin();
        // Before the round has looked at anything.
        add(5_000_000);
        begun.task().run();
        for (int round = 0; round < 10; round++) {
            assertThat(planned).hasSizeLessThanOrEqualTo(1);
            if (!planned.isEmpty()) {
                round();
                add(now + 10_000_000);
            }
        }
    }

    @Test
    void whoeverComesMeanwhileAndIsDueEarlierIsNotHeldUp() {
        add(10_000_000);
        add(5_000_000);
        assertThat(planned).singleElement().extracting(Planned::at).isEqualTo(5_000_000L);
    }

    @Test
    void aMemberThatMovesItsTimeIsTakenThenAndOnce() {
        Member renewed = add(10_000_000);
        renewed.due = 30_000_000;
        round();
        assertThat(rounds).isEmpty();
        renewed.due = 15_000_000;
        set.reconsider(renewed);
        round();
        assertThat(now).isEqualTo(15_000_000);
        assertThat(rounds).containsExactly(List.of(renewed));
        assertThat(set.noted()).isZero();
    }

    @Test
    void aMemberThatBecomesDueWhileItIsHandledIsTakenAgain() {
        Member busy = add(10_000_000);
        handling = member -> {
            member.due = 50_000_000;
            member.due = 12_000_000;
            set.reconsider(member);
        };
        round();
        handling = this::leave;
        round();
        assertThat(now).isEqualTo(12_000_000);
        assertThat(rounds).containsExactly(List.of(busy), List.of(busy));
    }

    @Test
    void whoeverHasLeftIsNotTakenAndDoesNotComeBackByBeingReconsidered() {
        Member gone = add(10_000_000);
        assertThat(set.remove(gone)).isTrue();
        assertThat(set.remove(gone)).isFalse();
        gone.due = 1_000_000;
        set.reconsider(gone);
        assertThat(set.members()).isEmpty();
        round();
        assertThat(rounds).isEmpty();
        assertThat(planned).isEmpty();
    }

    @Test
    void millionsThatComeAndGoCostNoTimersAndLeaveNothingBehindThoughThousandsStay() {
        int staying = 10_000;
        for (int each = 0; each < staying; each++) {
            add(10_000_000_000L + each);
        }
        long timers = timersEver;
        for (int each = 0; each < 2_000_000; each++) {
            now += 1_000;
            set.remove(add(now + 10_000_000_000L));
            assertThat(set.noted()).isLessThan(2 * staying + 100);
        }
        assertThat(timersEver).isEqualTo(timers);
        assertThat(set.members()).hasSize(staying);
    }

    @Test
    void afterTheLastOneNoTimerIsLeft() {
        for (int each = 0; each < 50; each++) {
            set.remove(add(10_000_000 + 1_000_000 * each));
        }
        round();
        assertThat(planned).isEmpty();
        assertThat(set.noted()).isZero();
        assertThat(timersEver).isEqualTo(1);
    }

    @Test
    void nobodyIsForgottenWhereManyThreadsAddMoveAndRemove() throws InterruptedException {
        LockScheduler thread = LockRuntime.start().scheduler();
        Set<Member> left = ConcurrentHashMap.newKeySet();
        AtomicReference<DueSet<Member>> itself = new AtomicReference<>();
        DueSet<Member> shared = new DueSet<>(
                Ticker.system(),
                thread,
                due -> due.forEach(member -> {
                    itself.get().remove(member);
                    left.remove(member);
                }));
        itself.set(shared);
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < 4; number++) {
            threads.add(new Thread(() -> comeAndGo(shared, left)));
        }
        threads.forEach(Thread::start);
        for (Thread each : threads) {
            each.join();
        }
        await().atMost(Duration.ofMinutes(1)).until(left::isEmpty);
        thread.close();
    }

    private static void comeAndGo(DueSet<Member> shared, Set<Member> left) {
        for (int round = 0; round < 5_000; round++) {
            Member hasty = new Member(System.nanoTime() + 3_600_000_000_000L, 0);
            left.add(hasty);
            shared.add(hasty);
            hasty.due = System.nanoTime() + 1_000L * round;
            shared.reconsider(hasty);
            Member gone = new Member(System.nanoTime() + 100_000, 0);
            shared.add(gone);
            shared.remove(gone);
        }
    }
}
