package io.distlock.applications.stock;

import static io.distlock.spring.OnNotAcquired.FALLBACK;
import static io.distlock.spring.OnNotAcquired.SKIP;

import io.distlock.HeldLock;
import io.distlock.LockNotAcquiredException;
import io.distlock.applications.Threads;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.OnLost;
import io.distlock.spring.ReactiveLockContext;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.stereotype.Service;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

@Service
class StockService {

    private final Map<String, Integer> pieces = new ConcurrentHashMap<>();
    private final AtomicInteger counting = new AtomicInteger();
    private final AtomicInteger cancelled = new AtomicInteger();

    record Reservation(String item, int pieces, long token, boolean virtualThread) {}

    int pieces(String item) {
        return pieces.getOrDefault(item, 0);
    }

    int counting() {
        return counting.get();
    }

    int cancelled() {
        return cancelled.get();
    }

    @DistributedLock(name = "stock", key = "#item")
    public Mono<Reservation> reserve(String item) {
        boolean virtual = Threads.isVirtual();
        return ReactiveLockContext.requireHeld("stock", item)
                .flatMap(lock -> increment(item)
                        .map(count ->
                                new Reservation(item, count, lock.fencingToken().value(), virtual)));
    }

    /** Loses updates unless calls for an item follow one another. */
    private Mono<Integer> increment(String item) {
        return Mono.fromSupplier(() -> pieces(item) + 1)
                .delayElement(Duration.ofMillis(1))
                .doOnNext(count -> pieces.put(item, count));
    }

    /** Ends only when it is cancelled. */
    @DistributedLock(name = "stock", key = "#item", leaseTime = "10s", onLost = OnLost.INTERRUPT)
    public Mono<Integer> count(String item) {
        return Mono.<Integer>never()
                .doOnSubscribe(subscription -> counting.incrementAndGet())
                .doOnCancel(cancelled::incrementAndGet);
    }

    @DistributedLock(name = "stock", key = "{#from, #to}")
    public Flux<String> move(String from, String to) {
        return ReactiveLockContext.current()
                .flatMapIterable(HeldLock::keys)
                .map(key -> key.key().orElse(""));
    }

    @DistributedLock(name = "stock", key = "#item", waitTime = "0s", onNotAcquired = SKIP)
    public Mono<String> tidy(String item) {
        return Mono.just("tidied");
    }

    @DistributedLock(
            name = "stock",
            key = "#item",
            waitTime = "0s",
            onNotAcquired = FALLBACK,
            fallbackMethod = "estimate")
    public Mono<String> price(String item) {
        return Mono.just("exact");
    }

    Mono<String> estimate(String item, LockNotAcquiredException why) {
        return Mono.just("estimated");
    }
}
