package io.distlock.etcd;

import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.support.LockRuntime;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A program that takes a lock, says so, and keeps it until it is killed. */
final class HolderJvm {

    private HolderJvm() {}

    /** What it prints is to be read; errors go where this JVM's go. */
    static Process start(URI endpoint, LockKey key, Duration leaseTime, Duration lockDelay) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        HolderJvm.class.getName(),
                        endpoint.toString(),
                        key.text(),
                        leaseTime.toString(),
                        lockDelay.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    public static void main(String[] arguments) throws InterruptedException {
        EtcdLockOptions options = LocalEtcd.PATIENT;
        LockRuntime runtime = LockRuntime.start();
        EtcdConnection connection = EtcdConnection.to(EtcdServers.at(List.of(URI.create(arguments[0]))), options);
        var locks = LockClientBuilder.of(new EtcdLockProvider(runtime, connection, options), runtime)
                .options(LockOptions.defaults()
                        .withWaitTime(TestClient.PATIENCE)
                        .withLeaseTime(Duration.parse(arguments[2]))
                        .withLockDelay(Duration.parse(arguments[3])))
                .build();
        locks.acquire(locks.request(LockKey.of(arguments[1])));
        System.out.println("held");
        new CountDownLatch(1).await();
    }
}
