package io.distlock.zookeeper;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.support.LockRuntime;
import io.distlock.test.process.ServerProcess;
import io.distlock.test.process.TestFolder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;

/** An application in a JVM of its own that takes one lock and never gives it back. */
final class LockingProcess implements AutoCloseable {

    /** With what it takes the lock. */
    enum With {
        CURATOR,
        DISTLOCK
    }

    static final Duration LEASE = Duration.ofSeconds(4);

    private static final String HOLDS = "holds the lock";
    private static final String LOST = "has lost the lock";
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final TestFolder folder;
    private final ServerProcess process;

    private LockingProcess(TestFolder folder, ServerProcess process) {
        this.folder = folder;
        this.process = process;
    }

    /** One that has the lock. */
    static LockingProcess holding(With with, String connectString, String lock) {
        TestFolder folder = TestFolder.create("locking");
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                LockingProcess.class.getName(),
                with.name(),
                connectString,
                lock);
        LockingProcess holder = new LockingProcess(folder, ServerProcess.start("locking", folder.path(), command));
        holder.awaitSaying(HOLDS);
        return holder;
    }

    private void awaitSaying(String what) {
        process.awaitReady(PATIENCE, () -> process.log().contains(what));
    }

    void awaitLoss() {
        awaitSaying(LOST);
    }

    void kill() {
        process.kill();
    }

    void freeze() {
        process.freeze();
    }

    void thaw() {
        process.thaw();
    }

    @Override
    public void close() {
        process.close();
        folder.close();
    }

    /** {@code LockingProcess CURATOR host:port name}. Says that it has the lock, and if it is told that it has lost it. */
    public static void main(String[] arguments) throws Exception {
        switch (With.valueOf(arguments[0])) {
            case CURATOR -> curator(arguments[1], arguments[2]);
            case DISTLOCK -> distlock(arguments[1], arguments[2]);
        }
        new CountDownLatch(1).await();
    }

    private static void curator(String connectString, String lock) throws Exception {
        int session = Math.toIntExact(LEASE.toMillis());
        CuratorFramework curator =
                CuratorFrameworkFactory.newClient(connectString, session, session, new RetryOneTime(100));
        curator.start();
        new InterProcessMutex(curator, "/lock/" + lock).acquire();
        System.out.println(HOLDS);
    }

    private static void distlock(String connectString, String lock) {
        LockRuntime runtime = LockRuntime.start();
        LockClient client = LockClientBuilder.of(LocalZooKeeper.provider(runtime, connectString), runtime)
                .options(LockOptions.defaults().withWaitTime(PATIENCE).withLeaseTime(LEASE))
                .build();
        HeldLock held = client.acquire(client.request(LockKey.of(lock)));
        held.lost().thenRun(() -> System.out.println(LOST));
        System.out.println(HOLDS);
    }
}
