package io.distlock.applications.wallets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.springframework.boot.test.context.SpringBootTest.WebEnvironment.NONE;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.Release;
import io.distlock.engine.LockClientBuilder;
import io.distlock.fencing.Fence;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spring.LockContext;
import io.distlock.spring.template.LockTemplate;
import io.distlock.support.LockRuntime;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** Repositories of Spring Data JDBC in a fenced database. The holder that overtakes is another instance. */
@SpringBootTest(
        webEnvironment = NONE,
        properties = {
            "distributed-lock.provider=in-memory",
            "distributed-lock.jdbc.fencing.enabled=true",
            // Who was overtaken is told by its next renewal; until then it believes that it holds its lock.
            "distributed-lock.lease-time=10m",
            "distributed-lock.shutdown-timeout=0s",
            "spring.data.redis.repositories.enabled=false"
        })
class WalletsApplicationTests {

    private static final long WALLET = 7;
    private static final LockKey KEY = LockKey.of("wallets", "7");

    private final WalletService service;
    private final Wallets wallets;
    private final JdbcClient jdbc;
    private final TransactionTemplate transactions;
    private final LockTemplate locks;
    private final Fence fence;
    private final LockClient elsewhere;

    WalletsApplicationTests(
            @Autowired WalletService service,
            @Autowired Wallets wallets,
            @Autowired JdbcClient jdbc,
            @Autowired TransactionTemplate transactions,
            @Autowired LockTemplate locks,
            @Autowired Fence fence,
            @Autowired InMemoryLockProvider provider,
            @Autowired LockRuntime runtime) {
        this.service = service;
        this.wallets = wallets;
        this.jdbc = jdbc;
        this.transactions = transactions;
        this.locks = locks;
        this.fence = fence;
        this.elsewhere = LockClientBuilder.of(provider, runtime).build();
    }

    @BeforeEach
    void newWallet() {
        jdbc.sql("delete from distributed_lock_fence").update();
        jdbc.sql("create table if not exists wallet (id bigint primary key, balance int)")
                .update();
        jdbc.sql("delete from wallet").update();
        jdbc.sql("insert into wallet values (:id, 0)").param("id", WALLET).update();
    }

    @AfterEach
    void leave() {
        elsewhere.close();
    }

    @Test
    void aSavedAggregateAdvancesTheFenceInItsOwnTransaction() {
        FencingToken paid = service.pay(WALLET, 10, token -> {
            assertThat(newest()).contains(token.value());
            assertThat(CompletableFuture.supplyAsync(this::newest).join()).isEmpty();
        });
        assertThat(newest()).contains(paid.value());
        assertThat(balance()).isEqualTo(10);
    }

    @Test
    void aRollbackTakesBackTheFenceWithTheAggregate() {
        FencingToken paid = service.pay(WALLET, 10, token -> {});
        assertThatIllegalStateException()
                .isThrownBy(() -> service.pay(WALLET, 20, token -> {
                    throw new IllegalStateException("not enough");
                }))
                .withMessage("not enough");
        assertThat(newest()).contains(paid.value());
        assertThat(balance()).isEqualTo(10);
    }

    @Test
    void theMethodOfAnOvertakenHolderIsNotRun() {
        AtomicBoolean ran = new AtomicBoolean();
        assertStale(() -> {
            overtake(LockContext.current());
            service.pay(WALLET, 10, token -> ran.set(true));
        });
        assertThat(ran).isFalse();
        assertThat(balance()).isEqualTo(100);
    }

    @Test
    void anOvertakenHolderMayNeitherReadNorSaveThroughARepository() {
        assertStale(() -> {
            overtake(LockContext.current());
            wallets.findById(WALLET);
        });
        assertStale(() -> {
            Wallet read = wallets.findById(WALLET).orElseThrow();
            overtake(LockContext.current());
            wallets.save(read.plus(10));
        });
        assertThat(balance()).isEqualTo(200);
    }

    @Test
    void whatAnOvertakenHolderHasWrittenIsNotCommitted() {
        AtomicInteger written = new AtomicInteger();
        assertStale(() -> {
            transactions.executeWithoutResult(status -> {
                // Commits by itself, so the row of the fence is free.
                jdbc.sql("create table if not exists staging (id int)").update();
                overtake(LockContext.current());
                wallets.add(WALLET, 10);
                written.set(balance());
            });
        });
        assertThat(written).hasValue(110);
        assertThat(balance()).isEqualTo(100);
    }

    /** Another instance takes the lock away, pays 100 under its own, and has committed when this returns. */
    private void overtake(HeldLock held) {
        assertThat(elsewhere.forceRelease(KEY, held.fencingToken())).isEqualTo(Release.RELEASED);
        CompletableFuture.runAsync(() -> {
                    try (HeldLock later = elsewhere.acquire(elsewhere.request(KEY))) {
                        transactions.executeWithoutResult(status -> {
                            fence.advance(later);
                            wallets.add(WALLET, 100);
                        });
                    }
                })
                .join();
    }

    private void assertStale(Runnable underTheLock) {
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> locks.lock("wallets", WALLET).run(underTheLock));
    }

    private Optional<Long> newest() {
        return jdbc.sql("select token from distributed_lock_fence where lock_key = :key")
                .param("key", KEY.text() + "{lock}")
                .query(Long.class)
                .optional();
    }

    private int balance() {
        return jdbc.sql("select balance from wallet").query(Integer.class).single();
    }
}
