package io.distlock.redis.redlock;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockStatus;
import io.distlock.LockStatus.Holder;
import io.distlock.Sequencer;
import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.redlock.Quorum.Tally;
import io.distlock.redis.script.RedisStore;
import io.distlock.redis.script.RedisStore.Grantee;
import io.distlock.support.Timeouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Asks all nodes who holds a lock: the owner that a majority names. Fails if silent nodes would decide. */
record RedlockInspection(RedlockNodes nodes) {

    CompletionStage<Optional<LockStatus>> inspect(LockKey key) {
        return ask(node -> node.inspect(key)).thenApply(answers -> merge(key, answers));
    }

    CompletionStage<Boolean> isCurrent(Sequencer sequencer) {
        return ask(node -> node.isCurrent(sequencer))
                .thenApply(answers -> decide(sequencer.key(), Collections.frequency(answers, true), answers.size()));
    }

    /** The answers that nodes give; once a majority has answered, waits for the others as long as for a vote. */
    private <T> CompletionStage<List<T>> ask(Function<RedisStore, CompletionStage<T>> question) {
        VoteTimeouts limits = VoteTimeouts.ofInspection(nodes.callTimeout());
        Timeouts timeouts = nodes.runtime().timeouts();
        AtomicInteger missing = new AtomicInteger(nodes.quorum().majority());
        CompletableFuture<Void> enough = new CompletableFuture<>();
        List<CompletableFuture<T>> asked = new ArrayList<>();
        for (RedlockNode node : nodes.all()) {
            var answer = timeouts.within(limits.majority(), question.apply(node.alone()));
            asked.add(answer);
            answer.thenRun(() -> {
                if (missing.decrementAndGet() == 0) {
                    enough.complete(null);
                }
            });
        }
        var all = CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new));
        all.whenComplete((done, failure) -> enough.complete(null));
        return timeouts.within(limits.minority(), all)
                .handle((done, late) -> enough)
                .thenCompose(Function.identity())
                .thenApply(done -> asked.stream()
                        .filter(answer -> answer.isDone() && !answer.isCompletedExceptionally())
                        .map(CompletableFuture::join)
                        .toList());
    }

    private Optional<LockStatus> merge(LockKey key, List<Optional<LockStatus>> answers) {
        Map<Grantee, List<Holder>> parties = new LinkedHashMap<>();
        for (LockStatus status : answers.stream().flatMap(Optional::stream).toList()) {
            Map<Grantee, Holder> here = new LinkedHashMap<>();
            status.holders().forEach(holder -> here.put(party(status.mode(), holder), holder));
            here.forEach((party, holder) ->
                    parties.computeIfAbsent(party, none -> new ArrayList<>()).add(holder));
        }
        decide(key, 0, answers.size());
        List<Holder> holders = new ArrayList<>();
        LockMode mode = LockMode.EXCLUSIVE;
        for (Map.Entry<Grantee, List<Holder>> party : parties.entrySet()) {
            if (decide(key, party.getValue().size(), answers.size())) {
                mode = party.getKey().mode();
                holders.add(merge(party.getValue()));
            }
        }
        return holders.isEmpty() ? Optional.empty() : Optional.of(new LockStatus(key, mode, holders, Optional.empty()));
    }

    /** Only their tokens tell released ones apart. For a moment, a reader may be there under two tokens. */
    private static Grantee party(LockMode mode, Holder holder) {
        return new Grantee(mode, RedisStore.isKept(holder) ? holder.owner() + holder.token() : holder.owner());
    }

    private Holder merge(List<Holder> votes) {
        // A majority keeps it for this long.
        Optional<Duration> remaining = votes.stream()
                .flatMap(vote -> vote.remaining().stream())
                .sorted(Comparator.reverseOrder())
                .skip(nodes.quorum().majority() - 1)
                .findFirst();
        return new Holder(votes.get(0).owner(), token(votes), remaining);
    }

    /** For a moment, a node whose vote came late may keep the lock under the token that it proposed. */
    private Optional<FencingToken> token(List<Holder> votes) {
        List<FencingToken> tokens =
                votes.stream().flatMap(vote -> vote.token().stream()).toList();
        int majority = nodes.quorum().majority();
        return tokens.stream()
                .filter(token -> Collections.frequency(tokens, token) >= majority)
                .findFirst();
    }

    private boolean decide(LockKey key, int yes, int answers) {
        Tally tally = new Tally(nodes.quorum(), yes, answers - yes, nodes.size() - answers);
        return switch (tally.verdict()) {
            case YES -> true;
            case NO -> false;
            case UNKNOWN, OPEN ->
                throw new RedisCallException(
                        "it is unknown who holds '" + key + "': only " + answers + " of " + nodes.size()
                                + " nodes answered",
                        false);
        };
    }
}
