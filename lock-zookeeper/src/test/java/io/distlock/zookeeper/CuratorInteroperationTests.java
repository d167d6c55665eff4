package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.support.LockRuntime;
import io.distlock.test.zookeeper.ZooKeeperExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.integration.zookeeper.lock.ZookeeperLockRegistry;

/** Locks of this project and of Curator's recipes, also by Spring Integration, on one path, exclude each other. */
class CuratorInteroperationTests {

    private static final int ROUNDS = 125;
    private static final long PATIENCE_SECONDS = 120;

    @RegisterExtension
    static final ZooKeeperExtension zooKeeper = ZooKeeperExtension.create(LocalZooKeeper.SERVER);

    private final String name = UUID.randomUUID().toString();
    private final LockKey key = LockKey.of(name);
    private final AtomicInteger writers = new AtomicInteger();
    private final AtomicInteger readers = new AtomicInteger();
    private final AtomicInteger overlaps = new AtomicInteger();
    private final AtomicInteger grants = new AtomicInteger();
    private final AtomicInteger readersTogether = new AtomicInteger();
    private final List<AutoCloseable> open = new ArrayList<>();
    private LockRuntime runtime;

    @BeforeEach
    void start() {
        runtime = LockRuntime.start();
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        runtime.close();
    }

    private LockClient client(ZooKeeperLayout layout) {
        return client(LocalZooKeeper.OPTIONS.withLayout(layout));
    }

    private LockClient client(ZooKeeperLockOptions options) {
        ZooKeeperLockProvider provider =
                LocalZooKeeper.provider(runtime, zooKeeper.server().connectString(), options);
        LockClient client = LockClientBuilder.of(provider, runtime)
                .options(LockOptions.defaults().withWaitTime(Duration.ofSeconds(PATIENCE_SECONDS)))
                .build();
        open.add(client);
        open.add(provider);
        return client;
    }

    private CuratorFramework curator() {
        CuratorFramework curator =
                CuratorFrameworkFactory.newClient(zooKeeper.server().connectString(), new RetryOneTime(100));
        curator.start();
        open.add(curator);
        return curator;
    }

    private InterProcessMutex mutex() {
        return new InterProcessMutex(curator(), "/lock/" + name);
    }

    private void writes() {
        grants.incrementAndGet();
        if (writers.incrementAndGet() > 1 || readers.get() > 0) {
            overlaps.incrementAndGet();
        }
        Thread.onSpinWait();
        writers.decrementAndGet();
    }

    private void reads() {
        grants.incrementAndGet();
        if (readers.incrementAndGet() > 1) {
            readersTogether.incrementAndGet();
        }
        if (writers.get() > 0) {
            overlaps.incrementAndGet();
        }
        Thread.onSpinWait();
        readers.decrementAndGet();
    }

    private interface Round {
        void run() throws Exception;
    }

    private static Round ours(LockClient client, LockKey key, LockMode mode, Runnable body) {
        return () -> {
            try (HeldLock held = client.acquire(client.request(key).withMode(mode))) {
                held.ensureHeld();
                body.run();
            }
        };
    }

    private static Round theirs(InterProcessLock lock, Runnable body) {
        return () -> {
            assertThat(lock.acquire(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            try {
                body.run();
            } finally {
                lock.release();
            }
        };
    }

    /** Each on a thread of its own, as Curator's locks belong to threads. */
    private static void runTogether(List<Round> all) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(all.size());
        try {
            List<Future<?>> running = new ArrayList<>();
            for (Round each : all) {
                running.add(threads.submit(() -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        each.run();
                    }
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aThousandGrantsOfMutexesNeverOverlap() throws Exception {
        List<Round> all = new ArrayList<>();
        for (int each = 0; each < 4; each++) {
            all.add(ours(client(ZooKeeperLayout.MUTEX), key, LockMode.EXCLUSIVE, this::writes));
            all.add(theirs(mutex(), this::writes));
        }
        runTogether(all);
        assertThat(grants).hasValue(8 * ROUNDS);
        assertThat(overlaps).hasValue(0);
    }

    /** Where Spring Integration keeps its locks, unless it is told otherwise. */
    @Test
    void fiveHundredGrantsOfALockRegistryOfSpringIntegrationNeverOverlap() throws Exception {
        List<Round> all = new ArrayList<>();
        for (int each = 0; each < 2; each++) {
            all.add(ours(
                    client(LocalZooKeeper.OPTIONS.withKeyPrefix("SpringIntegration-LockRegistry")),
                    key,
                    LockMode.EXCLUSIVE,
                    this::writes));
            ZookeeperLockRegistry registry = new ZookeeperLockRegistry(curator());
            open.add(registry::destroy);
            Lock theirs = registry.obtain(name);
            all.add(() -> {
                assertThat(theirs.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
                try {
                    writes();
                } finally {
                    theirs.unlock();
                }
            });
        }
        runTogether(all);
        assertThat(grants).hasValue(4 * ROUNDS);
        assertThat(overlaps).hasValue(0);
    }

    @Test
    void aLockOfSpringIntegrationAndOursKeepEachOtherOut() throws Exception {
        LockClient client = client(LocalZooKeeper.OPTIONS.withKeyPrefix("SpringIntegration-LockRegistry"));
        ZookeeperLockRegistry registry = new ZookeeperLockRegistry(curator());
        open.add(registry::destroy);
        Lock theirs = registry.obtain(name);
        try (HeldLock ours = client.acquire(client.request(key))) {
            assertThat(theirs.tryLock(200, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(ours.isHeld()).isTrue();
        }
        assertThat(theirs.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(client.tryAcquire(client.request(key).withWaitTime(Duration.ZERO)))
                .isEmpty();
        theirs.unlock();
    }

    @Test
    void aThousandGrantsOfReadWriteLocksNeverOverlap() throws Exception {
        List<Round> all = new ArrayList<>();
        for (int each = 0; each < 2; each++) {
            LockClient client = client(ZooKeeperLayout.READ_WRITE);
            all.add(ours(client, key, LockMode.EXCLUSIVE, this::writes));
            all.add(ours(client, key, LockMode.SHARED, this::reads));
            InterProcessReadWriteLock curator = new InterProcessReadWriteLock(curator(), "/lock/" + name);
            all.add(theirs(curator.writeLock(), this::writes));
            all.add(theirs(curator.readLock(), this::reads));
        }
        runTogether(all);
        assertThat(grants).hasValue(8 * ROUNDS);
        assertThat(overlaps).hasValue(0);
    }

    /** So that applications can change the layout one instance at a time, once no recipe of Curator is left. */
    @Test
    void locksOfBothLayoutsExcludeEachOther() {
        LockClient mutex = client(ZooKeeperLayout.MUTEX);
        LockClient readWrite = client(ZooKeeperLayout.READ_WRITE);
        for (LockMode mode : LockMode.values()) {
            try (HeldLock held = mutex.acquire(mutex.request(key).withMode(mode))) {
                assertThat(readWrite.tryAcquire(readWrite.request(key).withWaitTime(Duration.ZERO)))
                        .as("while held in mode %s", mode)
                        .isEmpty();
                assertThat(held.isHeld()).isTrue();
            }
        }
    }

    @Test
    void readersOfBothHoldTogether() throws Exception {
        LockClient client = client(ZooKeeperLayout.READ_WRITE);
        InterProcessReadWriteLock theirs = new InterProcessReadWriteLock(curator(), "/lock/" + name);
        try (HeldLock ours = client.acquire(client.request(key).withMode(LockMode.SHARED))) {
            assertThat(theirs.readLock().acquire(20, TimeUnit.SECONDS)).isTrue();
            assertThat(theirs.writeLock().acquire(100, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(client.inspect(key).orElseThrow().holders()).hasSize(2);
            assertThat(ours.isHeld()).isTrue();
            theirs.readLock().release();
        }
    }

    /** What Curator cannot do, but must not break: to a mutex, a reader is a holder. */
    @Test
    void aMutexOfCuratorWaitsForOurReaders() throws Exception {
        LockClient client = client(ZooKeeperLayout.MUTEX);
        InterProcessMutex theirs = mutex();
        try (HeldLock ours = client.acquire(client.request(key).withMode(LockMode.SHARED))) {
            assertThat(theirs.acquire(200, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(ours.isHeld()).isTrue();
        }
        assertThat(theirs.acquire(20, TimeUnit.SECONDS)).isTrue();
        assertThat(client.tryAcquire(
                        client.request(key).withMode(LockMode.SHARED).withWaitTime(Duration.ZERO)))
                .isEmpty();
        theirs.release();
    }

    @Test
    void aMutexOfCuratorWaitsForAMinimumHoldTime() throws Exception {
        LockClient client = client(ZooKeeperLayout.MUTEX);
        InterProcessMutex theirs = mutex();
        long since = System.nanoTime();
        client.acquire(client.request(key).withMinHoldTime(Duration.ofSeconds(2)))
                .close();
        assertThat(theirs.acquire(20, TimeUnit.SECONDS)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isGreaterThan(Duration.ofMillis(1_990));
        theirs.release();
    }

    @Test
    void aHolderInCuratorIsShownWithItsToken() throws Exception {
        LockClient client = client(ZooKeeperLayout.MUTEX);
        InterProcessMutex theirs = mutex();
        theirs.acquire();
        assertThat(client.inspect(key).orElseThrow().holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.token()).isPresent());
        theirs.release();
        await().atMost(Duration.ofSeconds(20)).until(() -> client.inspect(key).isEmpty());
    }
}
