package io.distlock.engine.renewal;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.Moment;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A store whose leases share a session says since when they have been extended, which may be before it was asked. */
@EndsInTime
class RenewedSinceTests {

    private static final Duration EARLIER = Duration.ofSeconds(4);

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = new LockRuntime(ticker, new ManualScheduler(ticker));
    private final LockClient client = ManualEngine.client(new Sharing(new InMemoryLockProvider(runtime)), runtime);

    /** Answers that a lease was extended four seconds ago. */
    private final class Sharing implements LockProvider {

        private final InMemoryLockProvider behind;

        Sharing(InMemoryLockProvider behind) {
            this.behind = behind;
        }

        private Renewal.Answers earlier(Renewal.Answers answers) {
            Moment since = new Moment(ticker.nanos() - EARLIER.toNanos(), ticker.wallMillis() - EARLIER.toMillis());
            return (lease, renewal) -> answers.renewedSince(lease, since);
        }

        @Override
        public void renew(Collection<Lease> leases, Renewal.Answers answers) {
            behind.renew(leases, earlier(answers));
        }

        @Override
        public void extend(Lease lease, Duration timeToLive, Renewal.Answers answers) {
            behind.extend(lease, timeToLive, earlier(answers));
        }

        @Override
        public String name() {
            return behind.name();
        }

        @Override
        public Duration callTimeout() {
            return behind.callTimeout();
        }

        @Override
        public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
            return behind.acquire(request);
        }

        @Override
        public CompletionStage<Release> release(Lease lease, Duration keepFor) {
            return behind.release(lease, keepFor);
        }

        @Override
        public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
            return behind.isCurrent(sequencer);
        }

        @Override
        public CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
            return behind.inspect(key);
        }

        @Override
        public CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
            return behind.forceRelease(key, token);
        }

        @Override
        public CompletionStage<ProviderStatus> check() {
            return behind.check();
        }

        @Override
        public void close() {
            behind.close();
        }
    }

    /** Of 30 s and of a minute: less one percent and 2 ms. */
    @Test
    void aRenewalCountsFromThen() {
        HeldLock held = client.acquire(client.request("a"));
        ticker.advance(Duration.ofMillis(10_600));
        Duration left = held.remaining();
        // It was renewed after a third of its lease, give or take 5 %.
        assertThat(left).isBetween(Duration.ofMillis(29_698 - 4_000 - 1_200), Duration.ofMillis(29_698 - 4_000));
    }

    @Test
    void anExtensionCountsFromThen() {
        HeldLock held = client.acquire(client.request("a").withRenew(false));
        ticker.advance(Duration.ofSeconds(10));
        assertThat(held.extend(Duration.ofMinutes(1))).isEqualTo(Duration.ofMillis(59_398 - 4_000));
    }
}
