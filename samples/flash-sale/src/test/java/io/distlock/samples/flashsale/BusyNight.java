package io.distlock.samples.flashsale;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import io.distlock.LockStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Some minutes in which the instances of a shop get to see everything that the dashboard shows: a crowd that queues for
 * one lock, calls that are refused, a lock that is taken away from its holder, and a Redis that is silent for a while.
 */
final class BusyNight implements AutoCloseable {

    private static final Duration LENGTH = Duration.ofSeconds(250);
    private static final Duration CROWD = Duration.ofSeconds(70);
    private static final Duration TAKEN_AWAY = Duration.ofSeconds(108);
    private static final Duration SECOND_SALE = Duration.ofSeconds(160);
    private static final Duration REDIS_SILENT = Duration.ofSeconds(190);
    private static final Duration SILENCE = Duration.ofSeconds(6);

    private static final Duration IMPATIENT = Duration.ofSeconds(2);
    private static final Duration SHORT_LEASE = Duration.ofSeconds(3);
    private static final int ORDERS = 400;

    private final ScheduledExecutorService time = Executors.newScheduledThreadPool(2);
    private final Random random = new Random(42);
    private final List<? extends ApplicationContext> instances;

    BusyNight(List<? extends ApplicationContext> instances) {
        this.instances = instances;
    }

    /** Returns when the night is over. */
    void pass() throws InterruptedException, ExecutionException {
        instances.forEach(instance -> load(instance.getBean(LockClient.class)));
        openSale(3);
        at(CROWD, () -> joinSale(14));
        at(TAKEN_AWAY, this::takeAway);
        at(SECOND_SALE, () -> openSale(3));
        at(REDIS_SILENT, this::silenceRedis);
        time.schedule(() -> {}, LENGTH.toMillis(), MILLISECONDS).get();
    }

    private void load(LockClient client) {
        LockRequest catalogue = client.request("catalogue").withWaitTime(IMPATIENT);
        LockRequest report = client.request("daily-report").withWaitTime(Duration.ZERO);
        every(100, () -> hold(client, order(client), 20 + random.nextInt(60)));
        every(250, () -> hold(client, catalogue.withMode(LockMode.SHARED), 150));
        every(20_000, () -> hold(client, catalogue, 500));
        every(10_000, () -> hold(client, report, 4_000));
        every(15_000, () -> hold(client, invoices(client), 7_000));
    }

    private LockRequest order(LockClient client) {
        return client.request("orders", String.valueOf(random.nextInt(ORDERS))).withWaitTime(IMPATIENT);
    }

    private static LockRequest invoices(LockClient client) {
        return client.request("invoices").withLeaseTime(SHORT_LEASE).withWaitTime(Duration.ofSeconds(10));
    }

    private void hold(LockClient client, LockRequest request, long millis) {
        client.tryAcquireAsync(request)
                .thenAccept(taken -> taken.ifPresent(lock -> time.schedule(lock::releaseAsync, millis, MILLISECONDS)));
    }

    private void openSale(int workers) {
        instances.get(0).getBean(SaleBook.class).open(true, false);
        joinSale(workers);
    }

    private void joinSale(int workers) {
        for (ApplicationContext instance : instances) {
            Sale sale = instance.getBean(SaleBook.class).latest().orElseThrow();
            instance.getBean(SalesFloor.class).join(sale, new Workers(workers));
        }
    }

    /** By somebody who believes that the holder is stuck. */
    private void takeAway() {
        LockClient client = instances.get(0).getBean(LockClient.class);
        LockKey key = LockKey.of("invoices");
        client.inspect(key).map(LockStatus::holders).stream()
                .flatMap(List::stream)
                .map(LockStatus.Holder::token)
                .flatMap(Optional::stream)
                .forEach(token -> client.forceRelease(key, token));
    }

    private void silenceRedis() {
        byte[] millis = String.valueOf(SILENCE.toMillis()).getBytes(US_ASCII);
        StringRedisTemplate redis = instances.get(0).getBean(StringRedisTemplate.class);
        redis.execute(
                (RedisCallback<Object>) connection -> connection.execute("CLIENT", "PAUSE".getBytes(US_ASCII), millis));
    }

    private void at(Duration moment, Runnable event) {
        time.schedule(event, moment.toMillis(), MILLISECONDS);
    }

    private void every(long millis, Runnable call) {
        time.scheduleAtFixedRate(call, millis, millis, MILLISECONDS);
    }

    @Override
    public void close() {
        time.shutdownNow();
    }
}
