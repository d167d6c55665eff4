package io.distlock.spring.loss;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockException;
import io.distlock.LockKey;
import io.distlock.LockNotAcquiredException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.OnNotAcquired;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One method for each strategy and return type. Each body asks the store itself whether it holds the lock, and counts.
 */
@SuppressWarnings("unused") // the fallbacks are, by their names
class WitnessingJobs {

    private final LockClient client;
    private int runs;
    private int runsWithout;
    private int fallbacks;

    WitnessingJobs(LockClient client) {
        this.client = client;
    }

    /** A field of the proxy would be zero. */
    public int[] counts() {
        return new int[] {runs, runsWithout, fallbacks};
    }

    /** Asks the store itself whether this body holds the lock. */
    private String body() {
        runs++;
        boolean held = LockContext.find()
                .filter(HeldLock::isHeld)
                .filter(lock -> lock.sequencers().stream().allMatch(client::isCurrent))
                .isPresent();
        runsWithout += held ? 0 : 1;
        return "done";
    }

    @DistributedLock("job")
    public void throwing() {
        body();
    }

    @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.SKIP)
    public void skipping() {
        body();
    }

    @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "instead")
    public void fallingBack() {
        body();
    }

    private void instead() {
        fallbacks++;
    }

    @DistributedLock("job")
    public int throwingInt() {
        return body().length();
    }

    @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "insteadInt")
    public int fallingBackInt() {
        return body().length();
    }

    private int insteadInt(LockNotAcquiredException why) {
        assertThat(why.key()).isEqualTo(LockKey.of("job"));
        return -1 - fallbacks++;
    }

    @DistributedLock("job")
    public String throwingText() {
        return body();
    }

    @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.SKIP)
    public String skippingText() {
        return body();
    }

    @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "insteadText")
    public String fallingBackText() {
        return body();
    }

    private String insteadText() {
        fallbacks++;
        return "instead";
    }

    @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "alwaysInsteadText")
    public String alwaysFallingBackText() {
        return body();
    }

    private String alwaysInsteadText(LockException why) {
        return insteadText() + " of " + why.key();
    }

    @DistributedLock("job")
    public CompletableFuture<String> throwingFuture() {
        return CompletableFuture.completedFuture(body());
    }

    @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.SKIP)
    public CompletableFuture<Optional<String>> skippingFuture() {
        return CompletableFuture.completedFuture(Optional.of(body()));
    }

    @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "insteadFuture")
    public CompletableFuture<String> fallingBackFuture() {
        return CompletableFuture.completedFuture(body());
    }

    private CompletableFuture<String> insteadFuture() {
        return CompletableFuture.completedFuture(insteadText());
    }

    @DistributedLock("job")
    public Mono<String> throwingMono() {
        return Mono.just(body());
    }

    @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.SKIP)
    public Mono<String> skippingMono() {
        return Mono.just(body());
    }

    @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "insteadMono")
    public Mono<String> fallingBackMono() {
        return Mono.just(body());
    }

    private Mono<String> insteadMono(LockNotAcquiredException why) {
        return Mono.fromSupplier(this::insteadText);
    }

    @DistributedLock("job")
    public Flux<String> throwingFlux() {
        return Flux.just(body(), "more");
    }

    @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.SKIP)
    public Flux<String> skippingFlux() {
        return Flux.just(body(), "more");
    }

    @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "insteadFlux")
    public Flux<String> fallingBackFlux() {
        return Flux.just(body(), "more");
    }

    private Flux<String> insteadFlux() {
        return Flux.just(insteadText(), "more");
    }

    @DistributedLock("job")
    public Single<String> throwingSingle() {
        return Single.just(body());
    }

    @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.SKIP)
    public Maybe<String> skippingMaybe() {
        return Maybe.just(body());
    }

    @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.SKIP)
    public Optional<String> skippingOptional() {
        return Optional.of(body());
    }

    @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "insteadOptional")
    public Optional<String> fallingBackOptional() {
        return Optional.of(body());
    }

    private Optional<String> insteadOptional() {
        return Optional.of(insteadText());
    }
}
