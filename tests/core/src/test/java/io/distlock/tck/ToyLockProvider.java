package io.distlock.tck;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.LockProvider;
import io.distlock.spi.Moment;
import io.distlock.spi.ProviderStatus;
import io.distlock.spi.Renewal;
import io.distlock.support.AcquireLoop;
import io.distlock.support.LockRuntime;
import io.distlock.support.TryLockStore;
import io.distlock.tck.ToyStore.Row;
import io.distlock.tck.ToyStore.ToyLease;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** One connection to a {@link ToyStore}, which answers a moment later and has one flaw, or none. */
final class ToyLockProvider implements LockProvider, TryLockStore {

    private static final Duration LATENCY = Duration.ofMillis(2);

    enum Flaw {
        NONE,
        CLOSING_DELETES_LEASES,
        TOKENS_ARE_RESERVED_BY_CONNECTION,
        LOSSES_ARE_NOT_TOLD,
        LOSSES_ARE_TOLD_TO_ALL,
        NOTHING_IS_WITHDRAWN,
        A_SECOND_RELEASE_FREES,
        A_RENEWAL_REVIVES,
        READERS_DO_NOT_LET_WRITERS_PASS,
        A_SESSION_KEEPS_ALL_LEASES
    }

    private final LockRuntime runtime;
    private final ToyStore store;
    private final Flaw flaw;
    private final boolean modest;
    private final AcquireLoop loop;
    private long reserved;
    private long reservedUntil;
    private volatile boolean closed;

    /**
     * @param modest without shared mode, and without telling losses and how long a key stays taken
     */
    ToyLockProvider(LockRuntime runtime, ToyStore store, Flaw flaw, boolean modest) {
        this.runtime = runtime;
        this.store = store;
        this.flaw = flaw;
        this.modest = modest;
        this.loop = new AcquireLoop(runtime, this, callTimeout());
    }

    @Override
    public String name() {
        return "toy";
    }

    @Override
    public Duration callTimeout() {
        return Duration.ofSeconds(5);
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(LeaseRequest request) {
        return modest && request.mode() == LockMode.SHARED
                ? CompletableFuture.failedFuture(new UnsupportedOperationException("the toy has no shared mode"))
                : loop.acquire(request);
    }

    @Override
    public CompletionStage<Result> attempt(LeaseRequest request, boolean again) {
        Moment sent = runtime.ticker().now();
        CompletableFuture<Result> answer = new CompletableFuture<>();
        runtime.scheduler().schedule(() -> answer.complete(tryOnce(request, sent)), LATENCY);
        return answer;
    }

    private Result tryOnce(LeaseRequest request, Moment sent) {
        synchronized (store) {
            Optional<Row> same = store.find(request.key(), row -> isFor(row, request.owner()));
            if (same.isEmpty() && (!store.admits(request) || mustLetPass(request))) {
                store.note(request);
                return new Result.Refused(
                        store.rows(request.key()).stream().map(store::left).min(Duration::compareTo));
            }
            store.forget(request);
            Row granted = same.orElseGet(() -> store.add(request, nextToken(), this));
            store.extend(granted, request.timeToLive(), false);
            return new Result.Granted(new Grant(granted.lease, sent));
        }
    }

    private boolean mustLetPass(LeaseRequest request) {
        return request.mode() == LockMode.SHARED
                && store.writerWaits(request)
                && flaw != Flaw.READERS_DO_NOT_LET_WRITERS_PASS;
    }

    private static boolean isFor(Row row, String owner) {
        return !row.kept && row.lease.owner().equals(owner);
    }

    private long nextToken() {
        if (flaw != Flaw.TOKENS_ARE_RESERVED_BY_CONNECTION) {
            return store.nextTokens(1);
        }
        if (reserved == reservedUntil) {
            reserved = store.nextTokens(20);
            reservedUntil = reserved + 20;
        }
        return reserved++;
    }

    @Override
    public CompletionStage<Release> withdraw(LeaseRequest request) {
        if (flaw == Flaw.NOTHING_IS_WITHDRAWN) {
            return CompletableFuture.completedFuture(Release.NOT_OWNER);
        }
        synchronized (store) {
            store.forget(request);
        }
        return CompletableFuture.completedFuture(
                release(request.key(), row -> isFor(row, request.owner()), Duration.ZERO));
    }

    @Override
    public CompletionStage<Subscription> subscribe(LockKey key, Runnable wake) {
        store.listeners.add(wake);
        return CompletableFuture.completedFuture(() -> store.listeners.remove(wake));
    }

    @Override
    public void onLoss(Lease lease, Runnable lost) {
        synchronized (store) {
            store.find(lease.key(), row -> row.lease.equals(lease)).ifPresent(row -> row.lost = lost);
        }
    }

    @Override
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        leases.forEach(lease -> extend(lease, ((ToyLease) lease).renewedFor(), answers));
    }

    @Override
    public void extend(Lease lease, Duration timeToLive, Renewal.Answers answers) {
        boolean extended;
        synchronized (store) {
            Optional<Row> row = store.find(
                    lease.key(), found -> found.lease.equals(lease) && (!found.kept || flaw == Flaw.A_RENEWAL_REVIVES));
            row.ifPresent(found -> store.extend(found, timeToLive, false));
            extended = row.isPresent();
            if (flaw == Flaw.A_SESSION_KEEPS_ALL_LEASES) {
                store.all().stream()
                        .filter(any -> any.connection == this)
                        .forEach(any -> store.extend(any, timeToLive, false));
            }
        }
        answers.answer(lease, extended ? Renewal.RENEWED : Renewal.NOT_OWNER);
    }

    @Override
    public CompletionStage<Release> release(Lease lease, Duration keepFor) {
        return CompletableFuture.completedFuture(release(
                lease.key(),
                row -> row.lease.equals(lease) && (!row.kept || flaw == Flaw.A_SECOND_RELEASE_FREES),
                keepFor));
    }

    private Release release(LockKey key, Predicate<Row> wanted, Duration keepFor) {
        synchronized (store) {
            Optional<Row> row = store.find(key, wanted);
            if (row.isEmpty()) {
                return Release.NOT_OWNER;
            }
            store.extend(row.get(), row.get().kept ? Duration.ZERO : keepFor, true);
            row.get().kept = true;
        }
        store.changed();
        return Release.RELEASED;
    }

    @Override
    public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        return CompletableFuture.completedFuture(store.find(
                        sequencer.key(), row -> isOf(row, sequencer.token()) && row.lease.mode() == sequencer.mode())
                .isPresent());
    }

    private static boolean isOf(Row row, FencingToken token) {
        return !row.kept && row.lease.token().equals(token);
    }

    @Override
    public CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        synchronized (store) {
            List<Row> rows = store.rows(key);
            return CompletableFuture.completedFuture(Optional.of(rows)
                    .filter(some -> !some.isEmpty())
                    .map(some -> new LockStatus(
                            key,
                            some.get(0).lease.mode(),
                            some.stream().map(this::holder).toList(),
                            Optional.empty())));
        }
    }

    private LockStatus.Holder holder(Row row) {
        return new LockStatus.Holder(
                row.lease.owner(),
                Optional.of(row.lease.token()),
                modest ? Optional.empty() : Optional.of(store.left(row)));
    }

    @Override
    public CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        Optional<Row> row = store.find(key, any -> isOf(any, token));
        Release answer = release(key, any -> isOf(any, token), Duration.ZERO);
        if (flaw == Flaw.LOSSES_ARE_TOLD_TO_ALL) {
            store.all().forEach(any -> any.lost.run());
        }
        if (!modest && flaw != Flaw.LOSSES_ARE_NOT_TOLD) {
            row.ifPresent(robbed -> robbed.lost.run());
        }
        return CompletableFuture.completedFuture(answer);
    }

    @Override
    public CompletionStage<ProviderStatus> check() {
        var state = closed ? ProviderStatus.State.DOWN : ProviderStatus.State.UP;
        return CompletableFuture.completedFuture(new ProviderStatus(state, Map.of()));
    }

    @Override
    public void close() {
        closed = true;
        loop.close();
        if (flaw == Flaw.CLOSING_DELETES_LEASES) {
            synchronized (store) {
                store.all().stream()
                        .filter(row -> row.connection == this)
                        .forEach(row -> store.extend(row, Duration.ZERO, true));
            }
        }
    }
}
