package io.distlock.engine.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockRequest;
import io.distlock.Release;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** On which threads the listener of a request is called. */
@EndsInTime
class RequestListenerThreadTests {

    private final ManualEngine here = new ManualEngine();

    /** A store's own thread must not run what may block. */
    @Test
    void theListenerIsCalledOnTheThreadThatWaitsForTheAnswer() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        here.client.addRequestListener(request -> new LockListener.OfRequest() {
            @Override
            public void granted(HeldLock lock) {
                threads.add(Thread.currentThread());
            }

            @Override
            public void released(Release outcome) {
                threads.add(Thread.currentThread());
            }
        });
        HeldLock others = here.other.acquire(here.now("a"));
        Thread caller = new Thread(() -> here.client.acquire(here.request("a")).close());
        caller.start();
        ManualEngine.await().until(() -> here.waitersAtStore("a") == 1);
        others.release();
        caller.join();
        assertThat(threads).containsExactly(caller, caller);
    }

    /** The answer may be there before anybody waits for it; the thread that releases must not be blocked even then. */
    @Test
    void theListenerOfAnAsynchronousReleaseIsCalledWhereItMayBlock() {
        List<String> threads = new ArrayList<>();
        ExecutorService callbacks = Executors.newSingleThreadExecutor(task -> new Thread(task, "callbacks"));
        Executor done = task -> CompletableFuture.runAsync(task, callbacks).join();
        LockClient client = ManualEngine.client(here.provider, here.runtime, done);
        client.addRequestListener(request -> new LockListener.OfRequest() {
            @Override
            public void released(Release outcome) {
                threads.add(Thread.currentThread().getName());
            }
        });
        client.acquire(here.now("a")).releaseAsync();
        client.acquire(LockRequest.of(client.options(), List.of(LockKey.of("b"), LockKey.of("c"))))
                .releaseAsync();
        callbacks.shutdown();
        assertThat(threads).containsExactly("callbacks", "callbacks");
    }
}
