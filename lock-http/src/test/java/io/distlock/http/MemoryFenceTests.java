package io.distlock.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MemoryFenceTests {

    private Duration time = Duration.ZERO;

    private final Ticker clock = new Ticker() {
        @Override
        public long nanos() {
            return time.toNanos();
        }

        @Override
        public long wallMillis() {
            return time.toMillis();
        }
    };

    private final MemoryFence fence = new MemoryFence(2, clock);

    /** With a secret, nobody could confirm that such a holder still has its lock. */
    @Test
    void aLiveHolderIsServedHoweverManyLocksWereUsedSince() {
        fence.advance(grant("long", 1));
        for (int token = 3; token < 10; token++) {
            fence.advance(grant("other" + token, token));
        }
        fence.advance(grant("long", 1));
        fence.advance(grant("first seen now", 2));
        assertStale(grant("other5", 4));
    }

    @Test
    void aLockThatWasNotUsedForADayIsForgottenOnlyBeyondTheCapacityAndThenAcceptedAboveAllForgottenTokens() {
        fence.advance(grant("a", 10));
        fence.advance(grant("b", 5));
        time = time.plusDays(1);
        fence.advance(grant("c", 3));
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> fence.advance(grant("a", 10)))
                .withMessageContaining("this instance has seen token 10");
        fence.advance(grant("b", 5));
        fence.advance(grant("a", 11));
    }

    @Test
    void aReaderIsComparedAndAdvancesNothing() {
        fence.advance(shared("a", 5));
        fence.advance(grant("a", 3));
        fence.advance(shared("a", 4));
        fence.advance(grant("a", 3));
        assertStale(shared("a", 2));
    }

    @Test
    void theFloorIsTheLargestOfAllForgottenTokens() {
        fence.advance(grant("a", 10));
        fence.advance(grant("b", 5));
        time = time.plusDays(1);
        fence.advance(grant("c", 11));
        fence.advance(grant("d", 12));
        for (long token : new long[] {5, 7, 10}) {
            assertStale(grant("unknown", token));
            assertStale(shared("unknown", token));
        }
        fence.advance(grant("unknown", 13));
    }

    /** Also with the same token, as for each request under one lock. */
    @Test
    void aLockIsForgottenADayAfterItsLastUse() {
        fence.advance(grant("a", 10));
        fence.advance(grant("b", 5));
        time = time.plusHours(23);
        fence.advance(grant("a", 10));
        time = time.plusHours(1);
        fence.advance(grant("c", 20));
        assertStale(grant("b", 5));
        time = time.plusHours(22);
        fence.advance(grant("d", 21));
        fence.advance(grant("a", 10));
        fence.advance(grant("unknown", 6));
    }

    /** Tokens grow with time over all locks, and nobody holds one for a day. */
    @Test
    void inAnyOrderStaleHoldersAreRefusedAndLiveOnesAreNot() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            MemoryFence any = new MemoryFence(3, clock);
            Map<String, Long> newest = new HashMap<>();
            List<Sequencer> grants = new ArrayList<>();
            Map<Sequencer, Duration> granted = new HashMap<>();
            for (int step = 1; step <= 200; step++) {
                time = time.plusMinutes(random.nextInt(120));
                if (random.nextInt(3) == 0 || grants.isEmpty()) {
                    Sequencer next = grant("k" + random.nextInt(8), step);
                    grants.add(next);
                    granted.put(next, time);
                }
                Sequencer one = grants.get(grants.size() - 1 - random.nextInt(Math.min(20, grants.size())));
                boolean overtaken =
                        newest.getOrDefault(one.key().name(), 0L) > one.token().value();
                boolean live = granted.get(one).plusDays(1).compareTo(time) > 0;
                boolean accepted = isAccepted(any, one);
                assertThat(accepted && overtaken)
                        .as("seed %d step %d", seed, step)
                        .isFalse();
                assertThat(accepted || overtaken || !live)
                        .as("seed %d step %d", seed, step)
                        .isTrue();
                if (accepted) {
                    newest.put(one.key().name(), one.token().value());
                }
            }
        }
    }

    private static boolean isAccepted(MemoryFence fence, Sequencer grant) {
        try {
            fence.advance(grant);
            return true;
        } catch (StaleFencingTokenException stale) {
            return false;
        }
    }

    private void assertStale(Sequencer grant) {
        assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> fence.advance(grant));
    }

    private static Sequencer grant(String name, long token) {
        return new Sequencer(LockKey.of(name), LockMode.EXCLUSIVE, new FencingToken(token));
    }

    private static Sequencer shared(String name, long token) {
        return new Sequencer(LockKey.of(name), LockMode.SHARED, new FencingToken(token));
    }
}
