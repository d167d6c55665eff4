package io.distlock.applications.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.LockMode;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.Sequencer;
import io.distlock.applications.Gate;
import io.distlock.fencing.Fence;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.spring.LockClients;
import io.distlock.test.application.LockTester;
import io.distlock.test.spring.InMemoryLocks;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

@SpringBootTest(
        webEnvironment = WebEnvironment.NONE,
        properties = {
            "spring.autoconfigure.exclude=org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                    + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration",
            "distributed-lock.shutdown-timeout=0s",
            "spring.data.redis.repositories.enabled=false",
            "distributed-lock.jdbc.fencing.enabled=true",
            "jobs.name=named by property",
            "jobs.delay=3s"
        })
@InMemoryLocks(alsoFor = "etcd")
class ContractApplicationTests {

    @Autowired
    Jobs jobs;

    @Autowired
    LockTester locks;

    @Autowired
    LockClient client;

    @Autowired
    LockClients clients;

    @Autowired
    Gate gate;

    @Autowired
    JdbcTemplate jdbc;

    @Autowired
    TransactionTemplate transactions;

    @Autowired
    Fence fence;

    @BeforeEach
    void prepare() {
        jdbc.execute("drop table if exists visited");
        jdbc.execute("create table visited (what varchar(40))");
        gate.reset();
    }

    @AfterEach
    void openTheGate() {
        gate.open();
    }

    private int visits() {
        Integer rows = jdbc.queryForObject("select count(*) from visited", Integer.class);
        return rows == null ? 0 : rows;
    }

    @FunctionalInterface
    private interface Call {

        void run() throws Exception;
    }

    /** On another thread. */
    private static CompletableFuture<Void> begin(Call call) {
        return CompletableFuture.runAsync(() -> {
            try {
                call.run();
            } catch (RuntimeException failure) {
                throw failure;
            } catch (Exception checked) {
                throw new IllegalStateException(checked);
            }
        });
    }

    @Test
    void nameAndKeySayWhatIsLocked() {
        assertThat(jobs.unnamed()).containsExactly(LockKey.of("Jobs.unnamed"));
        assertThat(jobs.namedByProperty()).containsExactly(LockKey.of("named by property"));
        assertThat(jobs.keyed("acme", 7)).containsExactly(LockKey.of("tenants", "acme:7"));
        assertThat(jobs.byAnAnnotationOfItsOwn()).containsExactly(LockKey.of("own", "byAnAnnotationOfItsOwn"));
        assertThat(jobs.onCondition(true)).isTrue();
        assertThat(jobs.onCondition(false)).isFalse();
    }

    @Test
    void aCollectionLocksAllItsItemsOrNone() {
        assertThat(jobs.keyedByAll(List.of(2, 1))).containsExactly(LockKey.of("batch", "1"), LockKey.of("batch", "2"));
        locks.refuse("batch", "2");
        assertThatThrownBy(() -> jobs.keyedByAll(List.of(1, 2))).isInstanceOf(LockNotAcquiredException.class);
        locks.assertThatLock("batch", "1").isFree();
    }

    @Test
    void aRepeatedAnnotationTakesEachLock() {
        assertThat(jobs.severalLocks("monday"))
                .extracting(HeldLock::keys, HeldLock::mode)
                .containsExactlyInAnyOrder(
                        tuple(List.of(LockKey.of("report", "monday")), LockMode.EXCLUSIVE),
                        tuple(List.of(LockKey.of("archive")), LockMode.SHARED));
    }

    @Test
    void anotherProviderHasLocksOfItsOwn() {
        HeldLock inMemory = locks.holdElsewhere("elsewhere");
        assertThat(jobs.ofAnotherProvider()).containsExactly(LockKey.of("elsewhere"));
        inMemory.release();
        LockClient etcd = clients.get("etcd");
        assertThat(etcd.inspect(LockKey.of("elsewhere"))).isEmpty();
    }

    @Test
    void sharedLocksExcludeOnlyExclusiveOnes() throws Exception {
        CompletableFuture<Void> reader = begin(jobs::shared);
        gate.awaitArrival();
        assertThat(jobs.sharedToo()).isTrue();
        assertThat(client.tryAcquire(client.request("shared").withWaitTime(Duration.ZERO)))
                .isEmpty();
        gate.open();
        reader.join();
    }

    @Test
    void leaseTimeAndLockDelaySayForHowLongAGrantIsValid() {
        assertThat(jobs.leased()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(10));
        assertThat(jobs.extended()).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(20));
    }

    @Test
    void aMinimumHoldTimeKeepsTheLockAfterTheMethod() {
        jobs.kept();
        assertThat(client.tryAcquire(client.request("kept").withWaitTime(Duration.ZERO)))
                .isEmpty();
    }

    @Test
    void aMaximumHoldTimeEndsTheLockAndInterruptsTheBody() {
        assertThatThrownBy(jobs::limited)
                .isInstanceOfSatisfying(
                        LockLostException.class,
                        lost -> assertThat(lost.loss().reason()).isEqualTo(LockLoss.Reason.MAX_HOLD_TIME));
    }

    @Test
    void aBodyThatIsLeftRunningFinishesAndItsCallerLearnsOfTheLoss() throws Exception {
        CompletableFuture<Void> call = begin(jobs::leftRunning);
        gate.awaitArrival();
        locks.lose("left running");
        gate.open();
        assertThatThrownBy(call::join).hasCauseInstanceOf(LockLostException.class);
        assertThat(visits()).isEqualTo(1);
    }

    @Test
    void aBusyLockIsReportedOrSkippedOrReplaced() {
        HeldLock elsewhere = locks.holdElsewhere("busy");
        assertThatThrownBy(jobs::thrown).isInstanceOf(LockNotAcquiredException.class);
        assertThat(jobs.skipped()).isEmpty();
        assertThat(jobs.skippedToo()).isEmpty();
        assertThat(jobs.replaced(7)).isEqualTo("7 LockNotAcquiredException");
        elsewhere.release();
        assertThat(jobs.skipped()).containsExactly("done");
        assertThat(jobs.skippedToo()).contains("done");
        assertThat(jobs.replaced(7)).isEqualTo("done 7");
    }

    @Test
    void aSilentStoreIsNotABusyLock() {
        locks.failStore();
        assertThatThrownBy(jobs::thrown).isInstanceOf(LockUnavailableException.class);
        assertThatThrownBy(jobs::skipped).isInstanceOf(LockUnavailableException.class);
        assertThat(jobs.replaced(7)).isEqualTo("7 LockUnavailableException");
    }

    /** As docs/testing.md has it. */
    @Test
    void aStaleHolderIsRefusedByTheDatabase() {
        jobs.fenced("42");
        assertThat(visits()).isEqualTo(1);
        Sequencer later = new Sequencer(LockKey.of("fenced", "43"), LockMode.EXCLUSIVE, new FencingToken(1_000_000));
        transactions.executeWithoutResult(status -> fence.advance(later));
        assertThatThrownBy(() -> jobs.fenced("43")).isInstanceOf(StaleFencingTokenException.class);
        assertThat(visits()).isEqualTo(1);
    }
}
