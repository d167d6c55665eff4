package io.distlock.jdbc;

import static io.distlock.jdbc.JdbcLockContract.get;
import static io.distlock.jdbc.JdbcLockContract.unique;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.Release;
import io.distlock.spi.Deadline;
import io.distlock.spi.Grant;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import io.distlock.support.LockRuntime;
import io.distlock.test.sql.PgBouncer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Behind a pooler by transaction, messages are lost without an error. */
@ExtendWith(OutputCaptureExtension.class)
class PgBouncerTests {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final JdbcLockOptions options = Database.PATIENT.withCallTimeout(Duration.ofSeconds(5));
    private Database database;
    private PgBouncer pooler;
    private LockRuntime runtime;
    private JdbcLockConnections connections;

    @BeforeEach
    void start() {
        database = Database.postgresql();
        pooler = PgBouncer.before(database.server());
        runtime = LockRuntime.start();
        connections = database.connections(pooler.url(), options);
    }

    @AfterEach
    void stop() {
        connections.close();
        runtime.close();
        pooler.close();
        database.close();
    }

    private LeaseRequest request(LockKey key, LockMode mode, Duration waitTime) {
        return new LeaseRequest(
                key,
                mode,
                UUID.randomUUID().toString(),
                LockOptions.defaults().withLeaseTime(Duration.ofMinutes(10)).withWaitTime(waitTime),
                Deadline.in(waitTime, runtime.ticker()));
    }

    @Test
    void isFoundOutAtStartAndSaidAndWaitersAskInstead(CapturedOutput output) {
        LockKey key = unique();
        try (JdbcLockProvider provider = new JdbcLockProvider(runtime, connections, options)) {
            await().atMost(PATIENCE).until(() -> output.getOut().contains("notifications do not arrive"));
            for (LockMode mode : LockMode.values()) {
                Grant grant =
                        get(provider.acquire(request(key, mode, Duration.ZERO))).orElseThrow();
                CompletableFuture<Optional<Grant>> waiter =
                        provider.acquire(request(key, LockMode.EXCLUSIVE, Duration.ofMinutes(5)));
                CompletableFuture<Renewal> renewed = new CompletableFuture<>();
                provider.renew(List.of(grant.lease()), (lease, renewal) -> renewed.complete(renewal));
                assertThat(get(renewed)).isEqualTo(Renewal.RENEWED);
                assertThat(waiter).isNotDone();
                assertThat(get(provider.release(grant.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
                Grant next = get(waiter).orElseThrow();
                assertThat(next.lease().token().value())
                        .isGreaterThan(grant.lease().token().value());
                assertThat(get(provider.release(next.lease(), Duration.ZERO))).isEqualTo(Release.RELEASED);
            }
        }
    }
}
