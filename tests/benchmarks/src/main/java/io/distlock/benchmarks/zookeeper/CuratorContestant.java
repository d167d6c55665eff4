package io.distlock.benchmarks.zookeeper;

import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.Rivals.Rival;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Curator's {@code InterProcessMutex} as its documentation shows it, one object for each lock. */
final class CuratorContestant implements Contestant {

    private final CuratorFramework curator;
    private final InterProcessMutex[] items;

    CuratorContestant(String connectString) {
        curator = CuratorFrameworkFactory.newClient(connectString, new ExponentialBackoffRetry(1_000, 3));
        curator.start();
        items = IntStream.range(0, ITEMS)
                .mapToObj(item -> mutex("peer:" + item))
                .toArray(InterProcessMutex[]::new);
        blockUntilConnected();
    }

    private void blockUntilConnected() {
        try {
            if (!curator.blockUntilConnected(1, TimeUnit.MINUTES)) {
                throw new IllegalStateException("Curator does not connect");
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupt);
        }
    }

    private InterProcessMutex mutex(String name) {
        return new InterProcessMutex(curator, "/curator/" + name);
    }

    @Override
    public String name() {
        return "Curator";
    }

    @Override
    public void cycle(int item) {
        acquire(items[item]);
        release(items[item]);
    }

    @Override
    public Optional<Object> hold(int item) {
        InterProcessMutex mutex = mutex("held:" + item);
        acquire(mutex);
        return Optional.of(mutex);
    }

    Rival rival() {
        InterProcessMutex mutex = mutex("rivals");
        return new Rival() {

            @Override
            public Runnable take() {
                acquire(mutex);
                return () -> release(mutex);
            }

            @Override
            public void close() {
                CuratorContestant.this.close();
            }
        };
    }

    private static void acquire(InterProcessMutex mutex) {
        try {
            mutex.acquire();
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static void release(InterProcessMutex mutex) {
        try {
            mutex.release();
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Override
    public void close() {
        curator.close();
    }
}
