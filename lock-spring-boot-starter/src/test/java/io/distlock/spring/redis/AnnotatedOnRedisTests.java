package io.distlock.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockLostException;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.redis.autoconfigure.RedisLockAutoConfiguration;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.test.redis.CommandRecorder;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisProbe;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Two instances of an application, with one real Redis and one real database. */
class AnnotatedOnRedisTests {

    private static final String KEY = "lock:{order:1}";

    /** A machine that is busy is no store that is silent. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** For tests of a store that is. */
    private static final Duration SOON = Duration.ofSeconds(1);

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    private interface Work {

        void with(Shop here, Shop there) throws Exception;
    }

    @AfterEach
    void thaw() {
        redis.server().reset();
    }

    private static ApplicationContextRunner instance(Duration callTimeout) {
        return LockTestContext.withoutProvider()
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        RedisLockAutoConfiguration.class,
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        TransactionAutoConfiguration.class))
                .withBean(Shop.class)
                .withPropertyValues(
                        "spring.data.redis.host=" + redis.server().host(),
                        "spring.data.redis.port=" + redis.server().port(),
                        "spring.datasource.url=jdbc:h2:mem:shop",
                        "distributed-lock.redis.call-timeout=" + callTimeout,
                        "distributed-lock.redis.connect-timeout=" + PATIENCE,
                        "distributed-lock.shutdown-timeout=0s");
    }

    private static void run(Work work) {
        run(PATIENCE, work);
    }

    private static void run(Duration callTimeout, Work work) {
        instance(callTimeout).run(one -> {
            one.getBean(JdbcTemplate.class).execute("create table item(name varchar(20))");
            instance(callTimeout).run(other -> work.with(warm(one), warm(other)));
        });
    }

    /** Connected, and its scripts loaded: how long a cold driver takes is no matter of the tests. */
    private static Shop warm(ApplicationContext instance) {
        Shop shop = instance.getBean(Shop.class);
        assertThat(shop.look(0)).isEmpty();
        return shop;
    }

    private static RedisProbe probe() {
        return redis.probe();
    }

    /** The waiter has subscribed, and looks once more before it lies down. */
    private static void awaitAWaiter() {
        await().atMost(PATIENCE.multipliedBy(3))
                .until(() -> !probe().pubsubChannels().isEmpty());
    }

    private static Void awaitTheLoss() {
        HeldLock lock = LockContext.current();
        await().atMost(PATIENCE.multipliedBy(3)).until(() -> !lock.isHeld());
        return null;
    }

    @Test
    void noTwoInstancesRunTheSameOrderAndOthersAreNotKeptWaiting() {
        run((here, there) -> here.blocking(1, () -> {
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> there.blocking(1, () -> "twice"));
            return assertThat(there.blocking(2, () -> "another order")).isEqualTo("another order");
        }));
    }

    @Test
    void whoComesNextSeesWhatWasCommittedUnderTheLock() {
        run((here, there) -> {
            CompletableFuture<List<String>> seen = new CompletableFuture<>();
            here.insert(1, "a", () -> {
                seen.completeAsync(() -> there.look(1));
                awaitAWaiter();
            });
            assertThat(seen.get(30, TimeUnit.SECONDS)).containsExactly("a");
        });
    }

    @Test
    void fencingTokensGrowFromInstanceToInstance() {
        run((here, there) -> {
            FencingToken first = here.insert(1, "a", () -> {});
            FencingToken second = there.insert(1, "b", () -> {});
            assertThat(here.insert(1, "c", () -> {})).isGreaterThan(second);
            assertThat(second).isGreaterThan(first);
        });
    }

    @Test
    void nothingIsCommittedUnderALockThatSomebodyDeleted() {
        run((here, there) -> {
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> here.insertBriefly(1, "a", () -> {
                        probe().command("DEL", KEY);
                        awaitTheLoss();
                    }));
            assertThat(there.rows()).isEmpty();
        });
    }

    @Test
    void severalLocksAreLostWithTheFirstOfThem() {
        run((here, there) -> assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> here.orderAndStock(1, () -> {
                    assertThat(LockContext.current().sequencers()).hasSize(2);
                    probe().command("DEL", KEY);
                    awaitTheLoss();
                    LockContext.requireHeld("stock", "1");
                    LockContext.current().ensureHeld();
                    throw new AssertionError("went on without the lock of the order");
                }))
                .withMessageContaining("order:1"));
    }

    @Test
    void nothingIsCommittedOnceTheServerIsGoneForTooLong() {
        run((here, there) -> {
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> here.insertBriefly(1, "a", () -> {
                        redis.server().kill();
                        awaitTheLoss();
                    }));
            assertThat(there.rows()).isEmpty();
        });
    }

    @Test
    void aServerThatFreezesInterruptsABodyThatAskedForIt() {
        run(
                SOON,
                (here, there) -> assertThatExceptionOfType(LockLostException.class)
                        .isThrownBy(() -> here.interrupted(1, () -> {
                            redis.server().freeze();
                            new CountDownLatch(1).await();
                            return null;
                        })));
    }

    @Test
    void aServerThatDoesNotAnswerIsNoLockAndMayBeReplacedIfThatIsSaid() {
        run(SOON, (here, there) -> {
            // Unless the machine stands still.
            await().atMost(PATIENCE.multipliedBy(3)).until(() -> here.orElse(1).equals("done"));
            redis.server().freeze();
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> here.blocking(1, () -> "without a lock"));
            assertThat(here.orElse(1)).isEqualTo("LockUnavailableException");
        });
    }

    @Test
    void aFutureHoldsItsLockUntilItIsDone() {
        run((here, there) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = here.future(1, () -> work);
            await().atMost(PATIENCE.multipliedBy(3))
                    .until(() -> probe().get(KEY).isPresent());
            CompletableFuture<String> next = there.future(1, () -> CompletableFuture.completedFuture("next"));
            awaitAWaiter();
            assertThat(next).isNotDone();
            work.complete("done");
            assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("done");
            assertThat(next.get(30, TimeUnit.SECONDS)).isEqualTo("next");
        });
    }

    @Test
    void aSubscriptionThatIsCancelledWhileItWaitsLeavesNothingBehind() {
        run((here, there) -> {
            here.blocking(1, () -> {
                Disposable waiting = there.mono(1, () -> Mono.just("never")).subscribe();
                awaitAWaiter();
                waiting.dispose();
                // A subscription that nobody waits for ends after a few messages.
                await().atMost(PATIENCE.multipliedBy(3)).until(() -> {
                    probe().command("PUBLISH", KEY + ":released", "1");
                    return probe().pubsubChannels().isEmpty();
                });
                return null;
            });
            await().atMost(PATIENCE.multipliedBy(3))
                    .until(() -> probe().get(KEY).isEmpty());
            assertThat(there.mono(1, () -> Mono.just("free")).block()).isEqualTo("free");
        });
    }

    /** One after the other in canonical order, so that no two calls wait for each other; released all at once. */
    @Test
    void aHundredKeysCostTwoCommandsEach() {
        run((here, there) -> {
            List<Long> ids = LongStream.range(0, 100).boxed().toList();
            here.all(ids, List::size);
            try (CommandRecorder recorder = probe().record()) {
                assertThat(here.<Integer>all(ids, List::size)).isEqualTo(100);
                await().atMost(PATIENCE).until(() -> probe().keys().stream().noneMatch(key -> key.contains("order:")));
                assertThat(recorder.names()).hasSize(200).containsOnly("EVALSHA");
            }
        });
    }
}
