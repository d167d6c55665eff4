package io.distlock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.LockStatus;
import io.distlock.LockUnavailableException;
import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.Deadline;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two clients that share nothing but the store, and helpers for the contract's tests. */
abstract class ContractFixture {

    /** Long enough for anything that does happen, even on a slow machine. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    /** How much a busy machine may exceed a time limit; a client that hangs takes longer. */
    static final Duration SLOW_MACHINE = Duration.ofSeconds(20);

    /** Long enough for many hand-overs between many clients, on an impaired store and a slow machine. */
    static final Duration LONG_PATIENCE = Duration.ofMinutes(5);

    private final List<LockClient> clients = new ArrayList<>();
    private final List<LockProvider> providers = new ArrayList<>();
    private LockRuntime runtime = LockRuntime.start();
    LockClient one = unset();
    LockClient other = unset();
    LockProvider provider = unset();

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // set before each test
    private static <T> T unset() {
        return null;
    }

    /** A new provider for the store under test; all calls use the same store. */
    protected abstract LockProvider createProvider(LockRuntime runtime);

    /**
     * A new provider for the store under test, over connections that no other provider uses; the test class closes those. By
     * default as {@link #createProvider}: override it if those share connections.
     */
    protected LockProvider createSeparateProvider(LockRuntime runtime) {
        return createProvider(runtime);
    }

    /** How this store differs from others. */
    protected abstract StoreTraits traits();

    @BeforeEach
    void connect() {
        provider = newProvider();
        one = newClient(provider);
        other = newClient(newProvider());
    }

    @AfterEach
    void disconnect() {
        clients.forEach(LockClient::close);
        closeProviders();
        runtime.close();
    }

    /** Concurrently, since each may wait for a store that does not answer. */
    private void closeProviders() {
        CompletableFuture.allOf(providers.stream()
                        .map(each -> CompletableFuture.runAsync(each::close, ContractFixture::onThreadOfItsOwn))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
    }

    private static void onThreadOfItsOwn(Runnable task) {
        new Thread(task, "contract-close").start();
    }

    LockProvider newProvider() {
        return keep(createProvider(runtime));
    }

    LockProvider newSeparateProvider() {
        return keep(createSeparateProvider(runtime));
    }

    /** Skips the test if the provider has no shared mode. */
    void needsSharedMode() {
        assumeTrue(traits().sharedMode(), "no shared mode");
    }

    /** How long the store keeps the key; skips the test if it does not tell. */
    Duration remaining(LockKey key) {
        assumeTrue(traits().tellsRemaining(), "the store does not tell how long a key stays taken");
        return await().atMost(PATIENCE)
                .ignoreException(LockUnavailableException.class)
                .until(() -> other.inspect(key), Optional::isPresent)
                .orElseThrow()
                .holders()
                .get(0)
                .remaining()
                .orElseThrow();
    }

    /** Closes the provider after the test. */
    LockProvider keep(LockProvider created) {
        providers.add(created);
        return created;
    }

    LockClient newClient(LockProvider provider) {
        LockClient client = LockClientBuilder.of(provider, runtime)
                .options(LockOptions.defaults().withWaitTime(Duration.ZERO))
                .shutdownTimeout(Duration.ZERO)
                .build();
        clients.add(client);
        return client;
    }

    static LockKey uniqueKey() {
        return LockKey.of("contract", UUID.randomUUID().toString());
    }

    /** One attempt. */
    static LockRequest now(LockClient client, LockKey key) {
        return client.request(key);
    }

    /** A request with a wait time as long as the test allows. */
    static LockRequest patiently(LockClient client, LockKey key) {
        return client.request(key).withWaitTime(PATIENCE);
    }

    /** The same request with a lease short enough to wait for its end. Other leases outlast any stall of the machine. */
    LockRequest briefly(LockRequest request) {
        return request.withLeaseTime(traits().shortLease());
    }

    LeaseRequest leaseRequest(LockKey key, String owner) {
        return leaseRequest(key, owner, one.options());
    }

    LeaseRequest leaseRequest(LockKey key, String owner, LockOptions options) {
        return new LeaseRequest(key, LockMode.EXCLUSIVE, owner, options, Deadline.in(PATIENCE, runtime.ticker()));
    }

    LockRuntime runtime() {
        return runtime;
    }

    static <T> T get(CompletionStage<T> stage) {
        return get(stage.toCompletableFuture());
    }

    static <T> T get(CompletableFuture<T> future) {
        return get(future, PATIENCE);
    }

    static <T> T get(CompletableFuture<T> future, Duration patience) {
        try {
            return future.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | InterruptedException | TimeoutException failure) {
            throw new AssertionError("no answer", failure);
        }
    }

    /** Fails if the call does not wait. If the store knows its waiters, returns once it knows this one. */
    void assertWaits(LockKey key, CompletableFuture<?> waiter) {
        await().atMost(PATIENCE)
                .until(() -> one.inspect(key)
                        .flatMap(LockStatus::waiters)
                        .map(waiting -> waiting > 0)
                        .orElse(true));
        assertThat(waiter).isNotDone();
    }

    /** With one attempt, or another one if the store was too slow to answer. */
    static void assertRefused(LockClient client, LockRequest request) {
        refusal(client, request.withWaitTime(Duration.ZERO));
    }

    /** The refusal of a request: at once, or on a later attempt if the store was too slow to answer. */
    static LockNotAcquiredException refusal(LockClient client, LockRequest request) {
        return await().atMost(PATIENCE)
                .ignoreException(LockUnavailableException.class)
                .until(() -> refused(client, request), refused -> true);
    }

    private static LockNotAcquiredException refused(LockClient client, LockRequest request) {
        try {
            client.acquire(request).close();
        } catch (LockNotAcquiredException refused) {
            return refused;
        }
        // Not to be tried again: a caller that holds the key itself is also refused.
        throw new AssertionError(request.keys() + " is granted, and should be refused");
    }

    /** Asserts that nobody holds the key or waits for it; asks again if the store was too slow to answer. */
    static void assertNothingAt(LockClient client, LockKey key) {
        await().atMost(PATIENCE).ignoreException(LockUnavailableException.class).until(() -> {
            assertThat(client.inspect(key)).isEmpty();
            return true;
        });
    }

    /**
     * Returns once the store will keep a lock beyond the lease under which it was granted, which takes a renewal.
     *
     * @param grantedNanos a time at which it had already been granted
     */
    void awaitKeptBeyond(Duration lease, LockKey key, long grantedNanos) {
        await().atMost(PATIENCE).ignoreException(LockUnavailableException.class).until(() -> {
            Duration since = Duration.ofNanos(runtime.ticker().nanos() - grantedNanos);
            LockStatus.Holder holder =
                    other.inspect(key).orElseThrow().holders().get(0);
            return since.plus(holder.remaining().orElse(Duration.ZERO)).compareTo(lease.plusSeconds(1)) > 0;
        });
    }

    /** By its own clock; or told by the store, where a process that stood still hears of it first. */
    static void assertExpired(HeldLock lost) {
        assertThat(get(lost.lost()).reason()).isIn(LockLoss.Reason.EXPIRED, LockLoss.Reason.NOT_OWNER);
    }

    /** With one attempt, or another one if the store was too slow; fails like an assertion. */
    void assertFree(LockKey key) {
        await().atMost(PATIENCE).ignoreException(LockUnavailableException.class).until(() -> isFree(key));
    }

    private boolean isFree(LockKey key) {
        try (HeldLock lock = other.acquire(now(other, key))) {
            return lock.isHeld();
        } catch (LockNotAcquiredException taken) {
            throw new AssertionError("'" + key + "' is not free", taken);
        }
    }
}
