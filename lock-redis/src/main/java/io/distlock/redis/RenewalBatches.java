package io.distlock.redis;

import io.distlock.LockMode;
import io.distlock.spi.Lease;
import io.distlock.spi.Renewal;
import io.distlock.spi.RenewalAnswers;
import io.lettuce.core.output.IntegerListOutput;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Cuts leases into batches, one command each: of one hash slot in a cluster, and short enough not to hold Redis up. */
final class RenewalBatches {

    /** Some 0.5 ms of Redis's one thread. */
    static final int MOST = 250;

    private final LuaScript script;
    private final boolean bySlot;

    RenewalBatches(LuaScript script, boolean bySlot) {
        this.script = script;
        this.bySlot = bySlot;
    }

    List<Batch> of(Collection<Lease> leases) {
        Map<Integer, List<RedisLease>> groups = new TreeMap<>();
        for (Lease lease : leases) {
            RedisLease ours = (RedisLease) lease;
            groups.computeIfAbsent(bySlot ? ours.names().slot() : 0, slot -> new ArrayList<>())
                    .add(ours);
        }
        List<Batch> batches = new ArrayList<>();
        for (List<RedisLease> group : groups.values()) {
            for (int from = 0; from < group.size(); from += MOST) {
                batches.add(new Batch(script, group.subList(from, Math.min(from + MOST, group.size()))));
            }
        }
        return batches;
    }

    /** Leases that are renewed by one command. */
    record Batch(LuaScript script, List<RedisLease> leases) {

        List<Batch> eachAlone() {
            return leases.stream()
                    .map(lease -> new Batch(script, List.of(lease)))
                    .toList();
        }

        ScriptCall<List<Long>> invocation() {
            List<String> keys = leases.stream().map(Batch::key).toList();
            ScriptCall<List<Long>> invocation =
                    ScriptCall.of(script, leases.get(0).names().slot(), IntegerListOutput::new, keys);
            for (RedisLease lease : leases) {
                invocation.with(lease.mode()).with(lease.value()).with(lease.renewedTimeToLive());
            }
            return invocation;
        }

        /**
         * @param reply null if there is none
         */
        void answer(@Nullable List<Long> reply, RenewalAnswers answers) {
            for (int at = 0; at < leases.size(); at++) {
                // No reply neither loses a lease nor extends it: the reply may be lost, not the renewal.
                Renewal renewal =
                        reply == null ? Renewal.UNKNOWN : reply.get(at) == 1 ? Renewal.RENEWED : Renewal.NOT_OWNER;
                answers.answer(leases.get(at), renewal);
            }
        }

        private static String key(RedisLease lease) {
            return lease.mode() == LockMode.SHARED
                    ? lease.names().readers()
                    : lease.names().lock();
        }
    }
}
