package io.distlock.redis.redlock;

import io.distlock.LockOptions;
import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.script.RedisLease;
import io.distlock.spi.Moment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Copies leases held by a majority to a node that refused, missed or lost them; otherwise one more fault could break the
 * lock. The node counts from the next renewal on: only a vote before the grant vouches for its fencing token.
 *
 * @param place node index
 */
record RedlockRestoration(RedlockNodes nodes, int place, List<RedlockLease> leases) {

    /** By then the losers of a split vote have withdrawn, if the node is near. */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(2);

    void afterRenewal() {
        restore(leases.stream().map(RedlockLease::entry).toList());
    }

    /** Asks soon after the grant, then after twice the pause each time, until the node has it or the lease is over. */
    void afterGrant(Moment since, LockOptions options) {
        askAfter(FIRST_PAUSE, since, options);
    }

    private void askAfter(Duration pause, Moment since, LockOptions options) {
        nodes.runtime().scheduler().schedule(() -> ask(pause, since, options), pause);
    }

    private void ask(Duration pause, Moment since, LockOptions options) {
        Duration passed = nodes.elapsed(since);
        RedlockLease lease = leases.get(0);
        if (!lease.isReleased() && passed.compareTo(options.leaseTime()) < 0) {
            // No longer than on the other nodes, or a dead holder's lock would be freed later.
            Duration left = options.timeToLive().minus(passed);
            restore(List.of(lease.entry().lasting(left))).thenAccept(restored -> {
                if (!restored) {
                    askAfter(pause.multipliedBy(2), since, options);
                }
            });
        }
    }

    private CompletionStage<Boolean> restore(List<RedisLease> entries) {
        List<Boolean> absent =
                leases.stream().map(lease -> lease.isAbsentFrom(place)).toList();
        leases.forEach(lease -> lease.mayStandOn(place));
        return nodes.get(place).restore(entries).handle((replies, failure) -> {
            boolean mayComeLate =
                    failure != null && RedisCallException.of(failure).mayBeApplied();
            boolean all = true;
            for (int at = 0; at < leases.size(); at++) {
                boolean restored = replies != null && replies.get(at) == 1;
                if (mayComeLate) {
                    leases.get(at).mayComeLateTo(place);
                }
                all &= restored;
                settle(leases.get(at), entries.get(at), restored || mayComeLate, absent.get(at));
            }
            return all;
        });
    }

    private void settle(RedlockLease lease, RedisLease entry, boolean mayStand, boolean wasAbsent) {
        if (mayStand) {
            lease.mayStandOn(place);
        } else if (wasAbsent) {
            lease.absentFrom(place);
        }
        if (mayStand && lease.isReleased()) {
            // The release may have been sent before.
            RedlockRelease.of(nodes, lease, Duration.ZERO).reap(place, entry.renewedTimeToLive());
        }
    }
}
