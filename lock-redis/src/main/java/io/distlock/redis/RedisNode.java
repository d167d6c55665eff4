package io.distlock.redis;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.spi.RenewalAnswers;
import io.distlock.spi.Ticker;
import io.distlock.support.Attempt;
import io.distlock.support.OneShotStore;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.IntegerListOutput;
import io.lettuce.core.output.IntegerOutput;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One-shot operations on one Redis deployment: each asks once and takes what comes. Knows nothing of waiting, nor of
 * other deployments. Thread-safe.
 */
final class RedisNode implements OneShotStore {

    /** For a release by the owner alone. */
    static final String NO_TOKEN = "";

    private static final String NOBODY = "";

    private final NodeCalls calls;
    private final RedisKeys keys;
    private final RedisScripts scripts;
    private final RenewalBatches batches;
    private final Ticker ticker;

    RedisNode(NodeCalls calls, RedisKeys keys, RedisScripts scripts, Ticker ticker) {
        this.calls = calls;
        this.keys = keys;
        this.scripts = scripts;
        this.batches = new RenewalBatches(scripts.renew(), calls.isCluster());
        this.ticker = ticker;
    }

    // --- taking ---

    @Override
    public CompletionStage<Attempt> attempt(LeaseRequest request, boolean again) {
        Moment since = ticker.now();
        RedisKeys.Names names = keys.of(request.key());
        return calls.write(acquisition(request, names, again), RedisNode::isGranted)
                .handle((reply, failure) -> {
                    if (failure == null) {
                        return answer(request, names, since, again, reply);
                    }
                    CallFailure known = CallFailure.of(failure);
                    return new Attempt.Failed(known, known.mayBeApplied());
                });
    }

    private Invocation<List<Long>> acquisition(LeaseRequest request, RedisKeys.Names names, boolean again) {
        boolean shared = request.mode() == LockMode.SHARED;
        Invocation<List<Long>> invocation = Invocation.of(
                        shared ? scripts.acquireShared() : scripts.acquireExclusive(),
                        names.slot(),
                        IntegerListOutput::new,
                        names.lock(),
                        names.readers(),
                        names.waiting(),
                        names.fence())
                .with(request.owner())
                .with(Millis.of(request.timeToLive()));
        return shared
                ? invocation.with(again ? 1 : 0)
                : invocation.with(Millis.of(request.deadline().remaining())).with(request.owner());
    }

    private static boolean isGranted(List<Long> reply) {
        return reply.get(0) == 1;
    }

    private static Attempt answer(
            LeaseRequest request, RedisKeys.Names names, Moment since, boolean again, List<Long> reply) {
        long value = reply.get(1);
        if (isGranted(reply)) {
            RedisLease lease = new RedisLease(
                    request.key(),
                    request.mode(),
                    request.owner(),
                    new FencingToken(value),
                    names,
                    request.renewedTimeToLive(),
                    again ? request.timeToLive() : Duration.ZERO);
            return new Attempt.Granted(new Grant(lease, since));
        }
        return new Attempt.Refused(value < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(value)));
    }

    // --- keeping ---

    /** As {@link io.distlock.spi.LockProvider#renew}. */
    void renew(Collection<Lease> leases, RenewalAnswers answers) {
        for (RenewalBatches.Batch batch : batches.of(leases)) {
            calls.write(batch.invocation(), reply -> true).whenComplete((reply, failure) -> {
                if (calls.isMoving(failure)) {
                    batch.eachAlone()
                            .forEach(alone -> calls.run(alone.invocation().onFirstKey())
                                    .whenComplete((own, unknown) -> alone.answer(own, answers)));
                } else {
                    batch.answer(reply, answers);
                }
            });
        }
    }

    // --- giving back ---

    CompletionStage<Release> release(RedisLease lease, Duration keepFor) {
        return release(
                lease.mode(),
                lease.names(),
                lease.owner(),
                Long.toString(lease.token().value()),
                keepFor);
    }

    @Override
    public CompletionStage<Release> withdraw(LeaseRequest request) {
        return release(request.mode(), keys.of(request.key()), request.owner(), NO_TOKEN, Duration.ZERO);
    }

    /** Deletes what a try of the same acquisition may have left that was applied after the lease was given back. */
    CompletionStage<Release> withdraw(RedisLease lease) {
        return release(lease.mode(), lease.names(), lease.owner(), NO_TOKEN, Duration.ZERO);
    }

    CompletionStage<Release> release(
            LockMode mode, RedisKeys.Names names, String owner, String token, Duration keepFor) {
        return release(mode, names, names.channel(), owner, token, keepFor);
    }

    /** Tells nobody of it. */
    CompletionStage<Release> withdrawQuietly(LeaseRequest request, String owner) {
        return release(request.mode(), keys.of(request.key()), NOBODY, owner, NO_TOKEN, Duration.ZERO);
    }

    private CompletionStage<Release> release(
            LockMode mode, RedisKeys.Names names, String channel, String owner, String token, Duration keepFor) {
        boolean shared = mode == LockMode.SHARED;
        Invocation<Long> invocation = Invocation.of(
                        shared ? scripts.releaseShared() : scripts.releaseExclusive(),
                        names.slot(),
                        IntegerOutput::new,
                        shared ? names.readers() : names.lock(),
                        names.waiting())
                .with(owner)
                .with(channel)
                .with(Millis.of(keepFor));
        // What tries may have left is looked for behind them.
        return calls.giveBack(shared ? invocation.with(token) : invocation, token.equals(NO_TOKEN))
                .handle((reply, failure) -> {
                    if (failure != null) {
                        return Release.UNKNOWN;
                    }
                    return reply == 1 ? Release.RELEASED : Release.NOT_OWNER;
                });
    }

    // --- asking ---

    CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        RedisKeys.Names names = keys.of(key);
        return calls.run(
                        Invocation.of(scripts.inspect(), names.slot(), ArrayOutput::new, names.lock(), names.readers()))
                .thenApply(reply -> Holders.status(key, reply));
    }

    /** Gives back what somebody else holds: two calls, the second of which compares the owner again. */
    CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        return inspect(key)
                .thenCompose(status -> Holders.by(token, status)
                        .map(holder -> release(
                                holder.mode(),
                                keys.of(key),
                                holder.owner(),
                                Long.toString(token.value()),
                                Duration.ZERO))
                        .orElseGet(() -> CompletableFuture.completedFuture(Release.NOT_OWNER)));
    }

    @Override
    public CompletionStage<Subscription> subscribe(LockKey key, Runnable wake) {
        return calls.subscriptions().subscribe(keys.of(key).channel(), wake);
    }

    NodeCalls calls() {
        return calls;
    }
}
