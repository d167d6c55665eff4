package io.distlock.applications.contract;

import static io.distlock.LockMode.SHARED;
import static io.distlock.spring.OnLost.INTERRUPT;
import static io.distlock.spring.OnLost.LEAVE_RUNNING;
import static io.distlock.spring.OnNotAcquired.FALLBACK;
import static io.distlock.spring.OnNotAcquired.SKIP;
import static io.distlock.spring.OnNotAcquired.THROW;

import io.distlock.HeldLock;
import io.distlock.LockException;
import io.distlock.LockKey;
import io.distlock.applications.Gate;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class Jobs {

    private final Gate gate;
    private final JdbcTemplate jdbc;

    Jobs(Gate gate, JdbcTemplate jdbc) {
        this.gate = gate;
        this.jdbc = jdbc;
    }

    private static List<LockKey> keys() {
        return LockContext.current().keys();
    }

    // --- what is locked ---

    @DistributedLock
    public List<LockKey> unnamed() {
        return keys();
    }

    @DistributedLock("${jobs.name}")
    public List<LockKey> namedByProperty() {
        return keys();
    }

    @DistributedLock(name = "tenants", key = "#tenant + ':' + #p1")
    public List<LockKey> keyed(String tenant, int number) {
        return keys();
    }

    @DistributedLock(name = "batch", key = "#numbers")
    public List<LockKey> keyedByAll(Collection<Integer> numbers) {
        return keys();
    }

    @DistributedLock(name = "report", key = "#day")
    @DistributedLock(name = "archive", mode = SHARED)
    public List<HeldLock> severalLocks(String day) {
        return LockContext.all();
    }

    @Exclusive(on = "#root.methodName")
    public List<LockKey> byAnAnnotationOfItsOwn() {
        return keys();
    }

    @DistributedLock(name = "elsewhere", provider = "etcd")
    public List<LockKey> ofAnotherProvider() {
        return keys();
    }

    @DistributedLock(name = "vip", condition = "#needed")
    public boolean onCondition(boolean needed) {
        return LockContext.find().isPresent();
    }

    @DistributedLock(name = "shared", mode = SHARED, waitTime = "0s")
    public boolean shared() throws InterruptedException {
        gate.pass();
        return LockContext.current().isHeld();
    }

    @DistributedLock(name = "shared", mode = SHARED, waitTime = "0s")
    public boolean sharedToo() {
        return LockContext.current().isHeld();
    }

    // --- for how long ---

    @DistributedLock(name = "leased", leaseTime = "10s", lockDelay = "${jobs.delay}")
    public Duration leased() {
        return LockContext.current().remaining();
    }

    @DistributedLock(name = "extended", leaseTime = "5s", renew = false)
    public Duration extended() {
        return LockContext.current().extend(Duration.ofSeconds(20));
    }

    @DistributedLock(name = "kept", minHoldTime = "PT1M")
    public void kept() {}

    @DistributedLock(name = "limited", leaseTime = "3s", maxHoldTime = "4s", onLost = INTERRUPT)
    public void limited() throws InterruptedException {
        gate.pass();
    }

    @DistributedLock(name = "left running", onLost = LEAVE_RUNNING)
    public void leftRunning() throws InterruptedException {
        gate.pass();
        jdbc.update("insert into visited values ('left running')");
    }

    // --- what if not ---

    @DistributedLock(name = "busy", waitTime = "0s", onNotAcquired = THROW)
    public void thrown() {}

    @DistributedLock(name = "busy", waitTime = "0s", onNotAcquired = SKIP)
    public List<String> skipped() {
        return List.of("done");
    }

    @DistributedLock(name = "busy", waitTime = "0s", onNotAcquired = SKIP)
    public Optional<String> skippedToo() {
        return Optional.of("done");
    }

    @DistributedLock(name = "busy", waitTime = "0s", onNotAcquired = FALLBACK, fallbackMethod = "replacement")
    public String replaced(int number) {
        return "done " + number;
    }

    @SuppressWarnings("UnusedMethod") // called by its name
    private String replacement(int number, LockException why) {
        return number + " " + why.getClass().getSimpleName();
    }

    // --- in the database ---

    @Transactional
    @DistributedLock(name = "fenced", key = "#key")
    public void fenced(String key) {
        jdbc.update("insert into visited values (?)", key);
    }
}
