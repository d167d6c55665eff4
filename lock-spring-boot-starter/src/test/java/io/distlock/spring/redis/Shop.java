package io.distlock.spring.redis;

import io.distlock.FencingToken;
import io.distlock.LockException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.OnLost;
import io.distlock.spring.OnNotAcquired;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;

/** An application's service, with a table. Where leases are to be lost they are short. */
class Shop {

    private final JdbcTemplate jdbc;

    Shop(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    List<String> rows() {
        return jdbc.queryForList("select name from item", String.class);
    }

    @DistributedLock(name = "order", key = "#id", waitTime = "0s")
    public <T> T blocking(long id, Callable<T> body) throws Exception {
        return body.call();
    }

    @DistributedLock(name = "order", key = "#ids", leaseTime = "30m", waitTime = "1m") // is not renewed meanwhile
    public <T> T all(List<Long> ids, Function<List<Long>, T> body) {
        return body.apply(ids);
    }

    @DistributedLock(name = "order", key = "#id", leaseTime = "3s", waitTime = "1m", onLost = OnLost.INTERRUPT)
    public void interrupted(long id, Callable<?> body) throws Exception {
        body.call();
    }

    @DistributedLock(
            name = "order",
            key = "#id",
            waitTime = "300ms",
            onNotAcquired = OnNotAcquired.FALLBACK,
            fallbackMethod = "instead")
    public String orElse(long id) {
        return "done";
    }

    @SuppressWarnings("unused") // by its name
    private String instead(long id, LockException failure) {
        return failure.getClass().getSimpleName();
    }

    @DistributedLock(name = "order", key = "#id", waitTime = "1m")
    public CompletableFuture<String> future(long id, Supplier<CompletableFuture<String>> body) {
        return body.get();
    }

    @DistributedLock(name = "order", key = "#id", waitTime = "1m")
    public Mono<String> mono(long id, Supplier<Mono<String>> body) {
        return Mono.defer(body);
    }

    @Transactional
    @DistributedLock(name = "order", key = "#id", waitTime = "1m")
    public FencingToken insert(long id, String name, Runnable beforeTheCommit) {
        jdbc.update("insert into item(name) values (?)", name);
        beforeTheCommit.run();
        return LockContext.current().fencingToken();
    }

    @DistributedLock(name = "order", key = "#id", leaseTime = "3s", waitTime = "1m")
    @DistributedLock(name = "stock", key = "#id", waitTime = "1m")
    public <T> T orderAndStock(long id, Callable<T> body) throws Exception {
        return body.call();
    }

    @Transactional
    @DistributedLock(name = "order", key = "#id", leaseTime = "3s", waitTime = "1m")
    public void insertBriefly(long id, String name, Runnable beforeTheCommit) {
        jdbc.update("insert into item(name) values (?)", name);
        beforeTheCommit.run();
    }

    /** What is committed when the lock is had. */
    @DistributedLock(name = "order", key = "#id", waitTime = "1m")
    public List<String> look(long id) {
        return rows();
    }
}
