package io.distlock.engine;

import static io.distlock.engine.ManualEngine.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.Release;
import io.distlock.test.provider.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** On which thread losses are announced, and what may not delay or prevent it. */
@EndsInTime
class LossThreadTests extends CallbackFixture {

    private static final int LOCKS = 2_000;

    @Test
    void dependentsOfALossMayWaitForOneAnotherToo() {
        LockClient client = client();
        provider.onRenew(Fault.SILENCE);
        CountDownLatch all = new CountDownLatch(300);
        for (int lock = 0; lock < 300; lock++) {
            client.acquire(client.request("orders", "" + lock)).lost().thenAccept(loss -> meet(all));
        }
        ticker.advance(Duration.ofSeconds(31));
        await().until(() -> all.getCount() == 0);
    }

    /** As of a body that is to be interrupted when it has lost its lock. */
    @Test
    void theNewsOfALossComesThoughBodiesOccupyAllThreads() {
        List<Runnable> waiting = new ArrayList<>();
        LockClient client = client(waiting::add);
        client.acquireAsync(client.request("body"));
        HeldLock held = client.acquire(client.request("a"));
        HeldLock both = client.acquire(client.request(List.of(LockKey.of("b"), LockKey.of("c"))));
        Set<Object> told = ConcurrentHashMap.newKeySet();
        client.addListener(event -> {
            if (event instanceof LockEvent.Lost lost && lost.key().equals(LockKey.of("a"))) {
                told.add("listener");
            }
        });
        held.onLost(loss -> told.add(held));
        both.onLost(loss -> told.add(both));
        provider.onRenew(Fault.SILENCE);
        ticker.advance(Duration.ofSeconds(31));
        await().untilAsserted(() -> assertThat(told).containsExactlyInAnyOrder("listener", held, both));
        assertThat(waiting).isNotEmpty();
    }

    /** A store that is gone takes all locks at once: a thread for each piece of news would end the process. */
    @Test
    void thousandsOfLossesAreToldByOneThreadHoweverLongTheyAreListenedTo() {
        LockClient client = client();
        provider.onRenew(Fault.SILENCE);
        AtomicInteger told = new AtomicInteger();
        Set<Thread> tellers = ConcurrentHashMap.newKeySet();
        List<HeldLock> held = new ArrayList<>();
        for (int lock = 0; lock < LOCKS; lock++) {
            held.add(client.acquire(client.request("orders", "" + lock)));
            held.get(lock).onLost(loss -> {
                awaitQuietly(done);
                tellers.add(Thread.currentThread());
                told.incrementAndGet();
            });
        }
        ticker.advance(Duration.ofSeconds(31));
        assertThat(held).noneMatch(HeldLock::isHeld);
        done.countDown();
        await().until(() -> told.get() == LOCKS);
        assertThat(tellers).hasSize(1);
    }

    /** Whoever is told of a failure may try again and wait, and must not hold up the news of a loss. */
    @Test
    void whatTheExecutorRefusesDoesNotOccupyTheThreadForLosses() {
        LockClient client = client(executorsThatThrow().get(0));
        HeldLock held = client.acquire(client.request("a"));
        CountDownLatch told = new CountDownLatch(1);
        held.onLost(loss -> told.countDown());
        CountDownLatch blocked = new CountDownLatch(1);
        provider.onAcquire(Fault.LATE);
        client.acquireAsync(client.request("b")).whenComplete((granted, failure) -> {
            blocked.countDown();
            awaitQuietly(done);
        });
        provider.deliver();
        await().until(() -> blocked.getCount() == 0);
        client.forceRelease(LockKey.of("a"), held.fencingToken());
        await().until(() -> told.getCount() == 0);
    }

    @ParameterizedTest
    @MethodSource("executorsThatThrow")
    void eachLossIsToldThoughTheExecutorThrows(Executor executor) {
        LockClient client = client(executor);
        AtomicInteger told = new AtomicInteger();
        for (String name : List.of("a", "b", "c")) {
            HeldLock held = client.acquire(client.request(name));
            held.onLost(loss -> told.incrementAndGet());
            held.lost().thenAccept(loss -> told.incrementAndGet());
        }
        provider.onRenew(Fault.SILENCE);
        ticker.advance(Duration.ofSeconds(31));
        await().until(() -> told.get() == 6);
    }

    @Test
    void theThreadForLossesEndsAfterTheClientAndWhatComesLaterIsToldNevertheless() {
        AtomicReference<Thread> teller = new AtomicReference<>();
        CallbackExecutor callbacks = CallbackExecutor.over(Runnable::run);
        callbacks.close(Duration.ofSeconds(30));
        callbacks.executeLoss(() -> teller.set(Thread.currentThread()));
        await().until(() -> teller.get() != null);
        await().atMost(Duration.ofSeconds(30)).until(() -> !teller.get().isAlive());
        AtomicReference<Thread> late = new AtomicReference<>();
        callbacks.executeLoss(() -> late.set(Thread.currentThread()));
        await().until(() -> late.get() != null);
    }

    /** After a client's end a new thread for losses has to be started, which may fail: this one announces the loss. */
    @Test
    void aReleaseEndsThoughNoThreadTellsOfTheLossThatItFinds() {
        CallbackExecutor threads =
                new CallbackExecutor(Runnable::run, executorsThatThrow().get(1), () -> {});
        ClientContext context = new ClientContext(provider, runtime, threads, "");
        LockClient client = ManualEngine.client(context);
        HeldLock held = client.acquire(client.request("a"));
        AtomicReference<Thread> teller = new AtomicReference<>();
        held.onLost(loss -> teller.set(Thread.currentThread()));
        takeAway(held);
        assertThat(held.releaseAsync()).isCompletedWithValue(Release.NOT_OWNER);
        assertThat(context.openWork().drained()).isDone();
        assertThat(teller).hasValue(Thread.currentThread());
    }

    /** What others have asked for may take its time, and whoever asks may be an event loop. */
    @Test
    void whoeverAsksForTheNewsOfALossBeforeItIsToldDoesNotTellTheOthers() {
        LockClient client = client();
        HeldLock held = client.acquire(client.request("a"));
        HeldLock first = client.acquire(client.request("b"));
        first.onLost(loss -> awaitQuietly(done));
        Set<Thread> tellers = ConcurrentHashMap.newKeySet();
        held.onLost(loss -> tellers.add(Thread.currentThread()));
        client.forceRelease(LockKey.of("b"), first.fencingToken());
        client.forceRelease(LockKey.of("a"), held.fencingToken());
        held.onLost(loss -> tellers.add(Thread.currentThread()));
        held.lost();
        assertThat(tellers).isEmpty();
        done.countDown();
        await().untilAsserted(() -> assertThat(tellers).hasSize(1));
    }

    @Test
    void newsThatFailsDoesNotEndTheThread() {
        CallbackExecutor callbacks = CallbackExecutor.over(Runnable::run);
        Set<Thread> tellers = ConcurrentHashMap.newKeySet();
        for (int loss = 0; loss < 3; loss++) {
            callbacks.executeLoss(() -> {
                tellers.add(Thread.currentThread());
                throw new AssertionError("news fails on purpose");
            });
        }
        CountDownLatch after = new CountDownLatch(1);
        callbacks.executeLoss(after::countDown);
        await().until(() -> after.getCount() == 0);
        assertThat(tellers).hasSize(1);
        callbacks.close(Duration.ofSeconds(30));
    }
}
