package io.distlock.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When the members of a set are looked at, and what that costs. */
class DueSetTests {

    private static final long LOOK = 1_000;

    /** Time goes on by a microsecond each time when somebody asks a member when it is due. */
    private final class Member implements DueSet.Due {

        private final long due;

        Member(long due) {
            this.due = due;
        }

        @Override
        public long dueNanos() {
            now += LOOK;
            return due;
        }
    }

    private long now;
    private long plannedFor;
    private final List<Long> delays = new ArrayList<>();
    private final List<Runnable> rounds = new ArrayList<>();
    private final List<Member> taken = new ArrayList<>();

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
            delays.add(delay.toNanos());
            plannedFor = now + delay.toNanos();
            rounds.add(task);
            return () -> {};
        }

        @Override
        public void close() {}
    };

    private final DueSet<Member> set = new DueSet<>(ticker, scheduler, due -> due.forEach(this::take));

    private void take(Member member) {
        taken.add(member);
        set.remove(member);
    }

    private void add(long due) {
        set.add(new Member(due));
    }

    /** Runs the round that was planned last; how long it is until the next. */
    private long round() {
        now = plannedFor;
        rounds.get(rounds.size() - 1).run();
        return delays.get(delays.size() - 1);
    }

    @Test
    void aMemberIsTakenWhenItIsDueAndTheOthersLater() {
        add(10_000_000);
        add(20_000_000);
        assertThat(delays).hasSize(1);
        long next = round();
        assertThat(taken).extracting(member -> member.due).containsExactly(10_000_000L);
        assertThat(now + next).isEqualTo(20_000_000);
    }

    @Test
    void scanningManyThatAreDueAtDifferentTimesTakesAFifthOfTheTimeAtMost() {
        int members = 1_000;
        for (int each = 0; each < members; each++) {
            add(10_000_000 + each);
        }
        long pass = members * LOOK;
        // The first alone is due when the round begins; the round itself lasts until all others are.
        assertThat(round()).isEqualTo(8 * pass);
        round();
        assertThat(taken).hasSize(members);
    }

    @Test
    void whoeverComesMeanwhileAndIsDueEarlierIsNotHeldUp() {
        for (int each = 0; each < 1_000; each++) {
            add(10_000_000 + each);
        }
        round();
        add(now + 10 * LOOK);
        assertThat(delays.get(delays.size() - 1)).isLessThanOrEqualTo(10 * LOOK);
    }
}
