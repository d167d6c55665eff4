package io.distlock.redis.script;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockStatus;
import io.distlock.LockStatus.Holder;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.redis.connection.RedisCallException;
import io.distlock.spi.Grant;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import io.distlock.spi.Ticker;
import io.distlock.support.AcquireLoop;
import io.distlock.support.TryLockStore;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.IntegerListOutput;
import io.lettuce.core.output.IntegerOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Acquires, renews, extends, releases and inspects locks on one Redis deployment: each call asks once and never retries.
 * Thread-safe.
 */
public record RedisStore(DeploymentCalls calls, RedisKeys keys, RedisScripts scripts, Ticker ticker)
        implements TryLockStore {

    private static final int MOST_LEASES = 250;

    /** The owner of a lock that was released but stays taken for a while. */
    private static final String KEPT = "kept";

    /** A waiting writer that comes back a second late still has its claim. */
    private static final Duration CLAIM = AcquireLoop.LONGEST_PAUSE.plusSeconds(1);

    private static final Pattern OURS = Pattern.compile("(?s)(.+):([1-9][0-9]{0,17})");

    @Override
    public CompletionStage<Result> attempt(LeaseRequest request, boolean again) {
        Moment since = ticker.now();
        RedisKeys.Names names = keys.of(request.key());
        return calls.write(acquisition(request, request.owner(), again, names, names.fence()), RedisStore::isGranted)
                .handle((reply, failure) -> {
                    if (failure == null) {
                        return answer(request, names, since, again, reply);
                    }
                    RedisCallException known = RedisCallException.of(failure);
                    return new Result.Failed(known, known.mayBeApplied());
                });
    }

    /**
     * The request for a lock.
     *
     * @param again whether an earlier try by this owner may have been granted
     * @param fence where fencing tokens are counted
     */
    public ScriptCall<List<Long>> acquisition(
            LeaseRequest request, String owner, boolean again, RedisKeys.Names names, String fence) {
        boolean shared = request.mode() == LockMode.SHARED;
        ScriptCall<List<Long>> call = ScriptCall.of(
                        shared ? scripts.acquireShared() : scripts.acquireExclusive(),
                        names.slot(),
                        IntegerListOutput::new,
                        List.of(names.lock(), names.readers(), names.waiting(), fence))
                .with(owner, request.timeToLive());
        return (shared ? call.with(again ? 1 : 0) : call.with(claim(request))).with(request.owner());
    }

    /** For how long readers let a refused writer pass: until it asks again, so not for long if it dies. */
    private static Duration claim(LeaseRequest request) {
        Duration remaining = request.deadline().remaining();
        return remaining.compareTo(CLAIM) < 0 ? remaining : CLAIM;
    }

    private static boolean isGranted(List<Long> reply) {
        return reply.get(0) == 1;
    }

    private static Result answer(
            LeaseRequest request, RedisKeys.Names names, Moment since, boolean again, List<Long> reply) {
        long value = reply.get(1);
        if (isGranted(reply)) {
            Duration afterUnknown = again ? request.timeToLive() : Duration.ZERO;
            return new Result.Granted(new Grant(lease(request, names, request.owner(), value, afterUnknown), since));
        }
        return new Result.Refused(freeIn(value));
    }

    public static RedisLease lease(
            LeaseRequest request, RedisKeys.Names names, String owner, long token, Duration afterUnknown) {
        Duration renewed = request.renewedTimeToLive();
        return new RedisLease(
                request.key(), request.mode(), owner, new FencingToken(token), names, renewed, afterUnknown);
    }

    /** Redis frees a key in the millisecond after its time to live; a negative one is unknown. */
    public static Optional<Duration> freeIn(long timeToLiveMillis) {
        return timeToLiveMillis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(timeToLiveMillis + 1));
    }

    /** Renews; each command is for one hash slot in a cluster, and short enough not to block Redis. */
    public void renew(Collection<Lease> leases, Renewal.Answers answers) {
        leases.stream()
                .map(RedisLease.class::cast)
                .collect(Collectors.groupingBy(
                        lease -> calls.isCluster() ? lease.names().slot() : 0))
                .values()
                .forEach(group -> inBatches(group, batch -> renewTogether(batch, answers)));
    }

    /** Splits leases into what one command renews or restores: about 0.5 ms of Redis's thread. */
    public static <T> void inBatches(List<T> leases, Consumer<List<T>> command) {
        for (int from = 0; from < leases.size(); from += MOST_LEASES) {
            command.accept(leases.subList(from, Math.min(from + MOST_LEASES, leases.size())));
        }
    }

    private void renewTogether(List<RedisLease> leases, Renewal.Answers answers) {
        calls.write(renewal(leases), reply -> true).whenComplete((reply, failure) -> {
            if (!calls.isMoving(failure)) {
                answer(leases, reply, answers);
                return;
            }
            for (RedisLease lease : leases) {
                List<RedisLease> alone = List.of(lease);
                calls.run(renewal(alone).onFirstKey()).whenComplete((own, unknown) -> answer(alone, own, answers));
            }
        });
    }

    private ScriptCall<List<Long>> renewal(List<RedisLease> leases) {
        List<String> locks = leases.stream()
                .map(lease -> lease.mode() == LockMode.SHARED
                        ? lease.names().readers()
                        : lease.names().lock())
                .toList();
        ScriptCall<List<Long>> invocation =
                ScriptCall.of(scripts.renew(), leases.get(0).names().slot(), IntegerListOutput::new, locks);
        for (RedisLease lease : leases) {
            invocation.with(lease.mode(), lease.value(), lease.renewedTimeToLive());
        }
        return invocation;
    }

    private static void answer(List<RedisLease> leases, @Nullable List<Long> reply, Renewal.Answers answers) {
        for (int at = 0; at < leases.size(); at++) {
            // A missing reply neither loses nor extends a lease: only the reply may be lost.
            Renewal renewal =
                    reply == null ? Renewal.UNKNOWN : reply.get(at) == 1 ? Renewal.RENEWED : Renewal.NOT_OWNER;
            answers.answer(leases.get(at), renewal);
        }
    }

    @Override
    public CompletionStage<Release> withdraw(LeaseRequest request) {
        return withdraw(request.mode(), request.key(), request.owner(), false);
    }

    /** Releases whatever an owner's tries may have left; looked for behind them. */
    public CompletionStage<Release> withdraw(LockMode mode, LockKey key, String owner, boolean quietly) {
        return release(mode, keys.of(key), owner, Optional.empty(), quietly, Duration.ZERO);
    }

    /** Releases an owner's grant with this token, or all that it may have if there is none. */
    public CompletionStage<Release> release(
            LockMode mode,
            RedisKeys.Names names,
            String owner,
            Optional<FencingToken> token,
            boolean quietly,
            Duration keepFor) {
        boolean shared = mode == LockMode.SHARED;
        String key = shared ? names.readers() : names.lock();
        // A writer that was granted the lock has no claim any more.
        boolean claims = shared || token.isEmpty();
        ScriptCall<Long> invocation = ScriptCall.of(
                        shared ? scripts.releaseShared() : scripts.releaseExclusive(),
                        names.slot(),
                        IntegerOutput::new,
                        claims ? List.of(key, names.waiting()) : List.of(key))
                .with(owner, quietly ? "" : names.channel(), keepFor);
        if (shared) {
            invocation.with(token.map(FencingToken::toString).orElse(""));
        }
        return calls.release(invocation)
                .handle((reply, failure) ->
                        failure != null ? Release.UNKNOWN : reply == 1 ? Release.RELEASED : Release.NOT_OWNER);
    }

    public CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        RedisKeys.Names names = keys.of(key);
        return calls.run(ScriptCall.of(
                        scripts.inspect(), names.slot(), ArrayOutput::new, List.of(names.lock(), names.readers())))
                .thenApply(reply -> status(key, reply));
    }

    private static Optional<LockStatus> status(LockKey key, List<Object> reply) {
        if (reply.isEmpty()) {
            return Optional.empty();
        }
        List<Holder> holders = new ArrayList<>();
        for (int at = 1; at < reply.size(); at += 2) {
            holders.add(holder((String) reply.get(at), (Long) reply.get(at + 1)));
        }
        LockMode mode = reply.get(0).equals("shared") ? LockMode.SHARED : LockMode.EXCLUSIVE;
        return Optional.of(new LockStatus(key, mode, holders, Optional.empty()));
    }

    private static Holder holder(String value, long remainingMillis) {
        Optional<Duration> remaining =
                remainingMillis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(remainingMillis));
        Matcher ours = OURS.matcher(value);
        // Another client's, by the canonical recipe, means nothing to us.
        return ours.matches()
                ? new Holder(ours.group(1), Optional.of(new FencingToken(Long.parseLong(ours.group(2)))), remaining)
                : new Holder(value, Optional.empty(), remaining);
    }

    public CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        return inspect(sequencer.key())
                .thenApply(status -> grantee(sequencer.token(), status)
                        .filter(grant -> grant.mode() == sequencer.mode())
                        .isPresent());
    }

    /** Whether it has been released, and the lock is only kept for its minimum hold time. */
    public static boolean isKept(Holder holder) {
        return holder.owner().equals(KEPT);
    }

    /** The mode and the owner of a grant, or of a vote for one. */
    public record Grantee(LockMode mode, String owner) {}

    /** Who holds a lock by the grant with this token. */
    public static Optional<Grantee> grantee(FencingToken token, Optional<LockStatus> status) {
        return status.flatMap(taken -> taken.holders().stream()
                .filter(holder ->
                        !isKept(holder) && holder.token().filter(token::equals).isPresent())
                .map(holder -> new Grantee(taken.mode(), holder.owner()))
                .findFirst());
    }

    /** Releases what somebody else holds: two calls, the second of which compares the owner again. */
    public CompletionStage<Release> forceRelease(LockKey key, FencingToken token) {
        return inspect(key)
                .thenCompose(status -> grantee(token, status)
                        .map(holder -> release(
                                holder.mode(), keys.of(key), holder.owner(), Optional.of(token), false, Duration.ZERO))
                        .orElseGet(() -> CompletableFuture.completedFuture(Release.NOT_OWNER)));
    }

    @Override
    public CompletionStage<Subscription> subscribe(LockKey key, Runnable wake) {
        return calls.subscriptions().subscribe(keys.of(key).channel(), wake);
    }

    @Override
    public Optional<Subscription> join(LockKey key, Runnable wake) {
        return calls.subscriptions().join(() -> keys.of(key).channel(), wake);
    }

    /** Whether {@link #join} finds a subscription. */
    public boolean listensTo(LockKey key) {
        return calls.subscriptions().listensTo(() -> keys.of(key).channel());
    }
}
