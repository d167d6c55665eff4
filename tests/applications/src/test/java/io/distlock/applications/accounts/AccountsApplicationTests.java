package io.distlock.applications.accounts;

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
import jakarta.persistence.EntityManager;
import java.util.Objects;
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
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Sessions of JPA in a fenced database. The holder that overtakes is another instance, of which this one is not told. */
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
class AccountsApplicationTests {

    private static final long ACCOUNT = 7;
    private static final LockKey KEY = LockKey.of("accounts", "7");

    private final AccountService service;
    private final Accounts accounts;
    private final EntityManager entities;
    private final JdbcClient jdbc;
    private final TransactionTemplate transactions;
    private final LockTemplate locks;
    private final Fence fence;
    private final LockClient elsewhere;

    AccountsApplicationTests(
            @Autowired AccountService service,
            @Autowired Accounts accounts,
            @Autowired EntityManager entities,
            @Autowired JdbcClient jdbc,
            @Autowired TransactionTemplate transactions,
            @Autowired LockTemplate locks,
            @Autowired Fence fence,
            @Autowired InMemoryLockProvider provider,
            @Autowired LockRuntime runtime) {
        this.service = service;
        this.accounts = accounts;
        this.entities = entities;
        this.jdbc = jdbc;
        this.transactions = transactions;
        this.locks = locks;
        this.fence = fence;
        this.elsewhere = LockClientBuilder.of(provider, runtime).build();
    }

    @BeforeEach
    void newAccount() {
        jdbc.sql("delete from distributed_lock_fence").update();
        accounts.deleteAll();
        accounts.save(new Account(ACCOUNT));
    }

    @AfterEach
    void leave() {
        elsewhere.close();
    }

    @Test
    void aChangedEntityAdvancesTheFenceInItsOwnTransaction() {
        FencingToken paid = service.pay(ACCOUNT, 10, token -> {
            assertThat(entities.createNativeQuery("select token from distributed_lock_fence", Long.class)
                            .getSingleResult())
                    .isEqualTo(token.value());
            assertThat(CompletableFuture.supplyAsync(this::newest).join()).isEmpty();
        });
        assertThat(newest()).contains(paid.value());
        assertThat(balance()).isEqualTo(10);
    }

    @Test
    void aRollbackTakesBackTheFenceWithTheEntity() {
        FencingToken paid = service.pay(ACCOUNT, 10, token -> {});
        assertThatIllegalStateException()
                .isThrownBy(() -> service.pay(ACCOUNT, 20, token -> {
                    entities.flush();
                    assertThat(token).isGreaterThan(paid);
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
            service.pay(ACCOUNT, 10, token -> ran.set(true));
        });
        assertThat(ran).isFalse();
        assertThat(balance()).isEqualTo(100);
    }

    @Test
    void whatAnOvertakenHolderHasFlushedIsNotCommitted() {
        AtomicInteger flushed = new AtomicInteger();
        assertStale(() -> {
            transactions.executeWithoutResult(status -> {
                // Commits by itself, so the row of the fence is free.
                jdbc.sql("create table if not exists staging (id int)").update();
                overtake(LockContext.current());
                Account account = accounts.findById(ACCOUNT).orElseThrow();
                int loaded = account.version();
                account.pay(10);
                accounts.flush();
                assertThat(account.version()).isGreaterThan(loaded);
                flushed.set(balance());
            });
        });
        assertThat(flushed).hasValue(110);
        assertThat(balance()).isEqualTo(100);
    }

    @Test
    void aTransactionThatIsRefusedInsideAnotherLeavesTheOtherItsSession() {
        transactions.executeWithoutResult(status -> {
            in(
                    TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
                    () -> assertStale(() -> {
                        overtake(LockContext.current());
                        in(TransactionDefinition.PROPAGATION_REQUIRES_NEW, () -> accounts.findById(ACCOUNT));
                    }));
            accounts.findById(ACCOUNT).orElseThrow().pay(10);
        });
        assertThat(balance()).isEqualTo(110);
    }

    private void in(int propagation, Runnable work) {
        TransactionTemplate transaction =
                new TransactionTemplate(Objects.requireNonNull(transactions.getTransactionManager()));
        transaction.setPropagationBehavior(propagation);
        transaction.executeWithoutResult(status -> work.run());
    }

    @Test
    void anOvertakenHolderMayNotReadThroughARepositoryEither() {
        assertStale(() -> {
            overtake(LockContext.current());
            accounts.findById(ACCOUNT);
        });
    }

    @Test
    void statementsBesideTheSessionAreCommittedAndRefusedWithIt() {
        assertStale(() -> {
            payBesideTheSession();
            assertThat(balance()).isEqualTo(11);
            overtake(LockContext.current());
            payBesideTheSession();
        });
        assertThat(balance()).isEqualTo(111);
    }

    private void payBesideTheSession() {
        transactions.executeWithoutResult(status -> {
            Account account = accounts.findById(ACCOUNT).orElseThrow();
            account.pay(10);
            accounts.saveAndFlush(account);
            jdbc.sql("update account set balance = balance + 1").update();
        });
    }

    /** Another instance takes the lock away, pays 100 under its own, and has committed when this returns. */
    private void overtake(HeldLock held) {
        assertThat(elsewhere.forceRelease(KEY, held.fencingToken())).isEqualTo(Release.RELEASED);
        CompletableFuture.runAsync(() -> {
                    try (HeldLock later = elsewhere.acquire(elsewhere.request(KEY))) {
                        transactions.executeWithoutResult(status -> {
                            fence.advance(later);
                            accounts.findById(ACCOUNT).orElseThrow().pay(100);
                        });
                    }
                })
                .join();
    }

    private void assertStale(Runnable underTheLock) {
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> locks.lock("accounts", ACCOUNT).run(underTheLock));
    }

    private Optional<Long> newest() {
        return jdbc.sql("select token from distributed_lock_fence where lock_key = :key")
                .param("key", KEY.text() + "{lock}")
                .query(Long.class)
                .optional();
    }

    private int balance() {
        return jdbc.sql("select balance from account").query(Integer.class).single();
    }
}
