package io.distlock.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import net.javacrumbs.shedlock.test.support.FuzzTester;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** ShedLock's own tests of a provider, its fuzz test included. Another client than the one under test looks at the store. */
abstract class ShedLockKit extends AbstractExtensibleLockProviderIntegrationTest {

    /** The shortest lease here; ShedLock's tests ask for less. */
    private static final Duration SHORT = Duration.ofMillis(200);

    private final LockRuntime runtime = LockRuntime.start();
    private LockProvider provider;
    private LockClient client;
    private LockClient observer;

    abstract LockProvider createProvider(LockRuntime runtime);

    @BeforeEach
    void open() {
        provider = createProvider(runtime);
        client = LockClientBuilder.of(provider, runtime)
                .shutdownTimeout(Duration.ZERO)
                .build();
        observer = LockClientBuilder.of(provider, runtime).build();
    }

    @AfterEach
    void close() {
        client.close();
        observer.close();
        provider.close();
        runtime.close();
    }

    @Override
    protected ExtensibleLockProvider getLockProvider() {
        return new DistlockLockProvider(client);
    }

    @Override
    protected void assertUnlocked(String name) {
        assertThat(observer.inspect(LockKey.of(name))).isEmpty();
    }

    @Override
    protected void assertLocked(String name) {
        assertThat(observer.inspect(LockKey.of(name))).isPresent();
    }

    /** With fewer rounds: each takes a dozen turns at a processor, and on a busy machine each turn takes a while. */
    @Override
    @Test
    public void fuzzTestShouldPass() throws ExecutionException, InterruptedException {
        new FuzzTester(getLockProvider(), Duration.ofMillis(1), Duration.ofMinutes(5), 20).doFuzzTest();
    }

    @Override
    @Test
    public void shouldTimeout() {
        lockBriefly();
        sleepFor(SHORT.plusMillis(5));
        assertUnlocked(LOCK_NAME1);
        // Once the client has noticed it too.
        lockBriefly();
    }

    /** Again if the grant came too late to be used: a busy machine may take longer than the lease. */
    private SimpleLock lockBriefly() {
        return await().ignoreException(LockException.class)
                .until(() -> getLockProvider().lock(lockConfig(LOCK_NAME1, SHORT, Duration.ZERO)), Optional::isPresent)
                .orElseThrow();
    }

    @Override
    @Test
    public void shouldNotBeAbleToExtendExpiredLock() {
        SimpleLock lock = lockBriefly();
        sleepFor(SHORT.plusMillis(5));
        assertThat(lock.extend(Duration.ofSeconds(10), Duration.ZERO)).isEmpty();
        assertUnlocked(LOCK_NAME1);
    }
}
