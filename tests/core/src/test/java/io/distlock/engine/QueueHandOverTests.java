package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.support.CallsInFlight;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** One call leaves the queue of a key, and the next one's turn comes: on the first one's thread. */
class QueueHandOverTests {

    private static final int MANY = 10_000;

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final InMemoryLockProvider store = new InMemoryLockProvider(runtime);

    /** Each turn ends at once and lets in the next: recursion would overflow the stack and leave the rest hanging. */
    @Test
    void manyWhoGiveUpTogetherAllEndAtTheirDeadline() {
        LockClient client = client(store);
        LockClient other = client(store);
        HeldLock held = other.acquire(other.request("orders"));
        other.acquire(other.request("carts"));
        // So that the first in line hears from the store before the client itself looks at the clock.
        client.tryAcquireAsync(client.request("carts").withWaitTime(Duration.ofMillis(1)));
        var waiting = queue(client);
        ticker.advance(Duration.ofSeconds(5));
        assertThat(waiting).allMatch(each -> each.isDone() && each.join().isEmpty());
        held.close();
    }

    @Test
    void manyWhoseProviderFailsAtOnceAllHearOfIt() {
        LockClient client = client(store);
        HeldLock held = client.acquire(client.request("orders"));
        var waiting = queue(client);
        store.close();
        held.release();
        assertThat(waiting).allMatch(CompletableFuture::isCompletedExceptionally);
    }

    private static List<CompletableFuture<Optional<HeldLock>>> queue(LockClient client) {
        LockRequest request = client.request("orders").withWaitTime(Duration.ofSeconds(5));
        return Stream.generate(() -> client.tryAcquireAsync(request))
                .limit(MANY)
                .toList();
    }

    /** Or the one who releases waits for ever for what is another's trouble. */
    @Test
    void aProviderThatThrowsAtTheNextInLineDoesNotDisturbTheRelease() throws Exception {
        LockClient client = client(withAcquire(new Function<>() {
            private boolean first = true;

            @Override
            public CompletableFuture<Optional<Grant>> apply(LeaseRequest request) {
                if (!first) {
                    throw new IllegalStateException("thrown on purpose");
                }
                first = false;
                return store.acquire(request);
            }
        }));
        HeldLock held = client.acquire(client.request("orders"));
        var next = client.tryAcquireAsync(client.request("orders"));
        assertThat(held.releaseAsync().toCompletableFuture().get(60, TimeUnit.SECONDS))
                .isEqualTo(Release.RELEASED);
        assertThat(next).isCompletedExceptionally();
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.acquire(client.request("orders")))
                .havingCause()
                .withMessage("thrown on purpose");
    }

    /** As one with a provider that throws: it ends at once, and neither the next call nor close() waits for it. */
    @Test
    void aCallWithoutRandomBitsForItsOwnerValueLeavesNothingBehind() {
        SecureRandom broken = new SecureRandom() {
            @Override
            public void nextBytes(byte[] bytes) {
                throw new ProviderException("no random bits, on purpose");
            }
        };
        ClientContext context = new ClientContext(
                store,
                runtime,
                new CallbackExecutor(Runnable::run, Runnable::run, () -> {}),
                new OwnerIds("", ticker, broken),
                ThreadLocalRandom::current,
                new CopyOnWriteArrayList<>(),
                new CopyOnWriteArrayList<>(),
                new KeyQueues(),
                new Watchdog(store, runtime),
                new CallsInFlight());
        LockClient client = ManualEngine.client(context);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.acquire(client.request("orders")))
                .havingCause()
                .withMessage("no random bits, on purpose");
        assertThat(client.waiting()).isEmpty();
        assertThat(context.queues().size()).isZero();
        assertThat(context.openWork().drained()).isDone();
    }

    private LockClient client(LockProvider provider) {
        return ManualEngine.client(provider, runtime);
    }

    private LockProvider withAcquire(Function<LeaseRequest, CompletableFuture<Optional<Grant>>> acquire) {
        return (LockProvider) Proxy.newProxyInstance(
                LockProvider.class.getClassLoader(),
                new Class<?>[] {LockProvider.class},
                (proxy, method, arguments) -> {
                    try {
                        return method.getName().equals("acquire")
                                ? acquire.apply((LeaseRequest) arguments[0])
                                : method.invoke(store, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }
}
