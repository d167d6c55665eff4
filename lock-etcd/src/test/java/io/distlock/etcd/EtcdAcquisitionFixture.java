package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;

/** Two processes that ask for one lock, before a store whose answers come when a test says so. */
abstract class EtcdAcquisitionFixture {

    static final LockKey KEY = LockKey.of("queue");
    static final Duration LEASE = Duration.ofMinutes(10);
    static final Duration GRACE = Duration.ofSeconds(1);
    static final Duration TRUST = Duration.ofSeconds(5);
    static final Duration UNWATCHED = Duration.ofMillis(250);
    static final Duration MOMENT = Duration.ofMillis(1);
    static final LockOptions PATIENT =
            LockOptions.defaults().withWaitTime(Duration.ofHours(1)).withLeaseTime(LEASE);

    final FakeEtcd etcd = new FakeEtcd();
    final EtcdLockProvider provider = etcd.provider();
    final EtcdLockProvider other = etcd.provider();
    final AtomicInteger owners = new AtomicInteger();
    final AtomicInteger refusals = new AtomicInteger();
    final AtomicInteger failures = new AtomicInteger();

    private final List<CompletableFuture<Optional<Grant>>> acquisitions = new ArrayList<>();

    @AfterEach
    void close() {
        // Whatever became of the others: a provider forgets them.
        assertThat(provider.queues.waiting() + other.queues.waiting()).isLessThanOrEqualTo((int)
                acquisitions.stream().filter(each -> !each.isDone()).count());
        etcd.close();
    }

    CompletableFuture<Optional<Grant>> acquire(EtcdLockProvider by, LockMode mode, LockOptions options) {
        LeaseRequest.Listener listener = new LeaseRequest.Listener() {
            @Override
            public void refused() {
                refusals.incrementAndGet();
            }

            @Override
            public void failed(Throwable cause) {
                failures.incrementAndGet();
            }
        };
        CompletableFuture<Optional<Grant>> acquisition = by.acquire(new LeaseRequest(
                KEY,
                mode,
                "owner-" + owners.incrementAndGet(),
                options,
                Deadline.in(options.waitTime(), etcd.ticker),
                listener));
        acquisitions.add(acquisition);
        return acquisition;
    }

    CompletableFuture<Optional<Grant>> acquire(EtcdLockProvider by) {
        return acquire(by, LockMode.EXCLUSIVE, PATIENT);
    }

    static Grant granted(CompletableFuture<Optional<Grant>> acquisition) {
        assertThat(acquisition).isCompleted();
        return acquisition.join().orElseThrow();
    }

    void release(EtcdLockProvider by, Grant grant) {
        assertThat(by.release(grant.lease(), Duration.ZERO).toCompletableFuture())
                .isCompletedWithValue(Release.RELEASED);
    }

    List<String> places() {
        return etcd.places("queue");
    }

    static Throwable failure(CompletableFuture<?> acquisition) {
        assertThat(acquisition).isCompletedExceptionally();
        return acquisition.handle((none, failure) -> failure).join();
    }
}
