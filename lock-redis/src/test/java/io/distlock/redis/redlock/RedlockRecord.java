package io.distlock.redis.redlock;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.redis.connection.RedisCallException;
import io.distlock.redis.redlock.Quorum.Vote;
import io.distlock.redis.redlock.RedlockAcquirePhases.Step;
import io.distlock.redis.script.RedisKeys;
import io.distlock.redis.script.RedisLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/** Nodes that say what a test wants them to, and what one try asks of them. */
final class RedlockRecord implements RedlockAcquirePhases.Actions {

    final RunIds runIds = new RunIds();
    final RedlockAcquirePhases phases;
    final List<RedlockLease> chosen = new ArrayList<>();
    final List<Integer> toldTheToken = new ArrayList<>();
    final List<Integer> withdrawn = new ArrayList<>();
    final List<Integer> restored = new ArrayList<>();
    final List<Integer> takenBack = new ArrayList<>();
    final List<Duration> limits = new ArrayList<>();
    final List<String> ends = new ArrayList<>();
    boolean confirmingIsLimited;
    Optional<RedlockLease> lease = Optional.empty();
    private Function<Duration, List<Step>> whenUp = waited -> List.of();

    RedlockRecord(int nodes) {
        this.phases = new RedlockAcquirePhases(new Quorum(nodes), runIds, this::choose);
    }

    private RedlockLease choose(long token) {
        RedlockLease lease = new RedlockLease("owner", entry(token));
        chosen.add(lease);
        return lease;
    }

    private static RedisLease entry(long token) {
        LockKey key = LockKey.of("job");
        Duration lease = Duration.ofSeconds(30);
        RedisKeys keys = new RedisKeys("test", 0);
        return new RedisLease(
                key, LockMode.EXCLUSIVE, "owner.0", new FencingToken(token), keys.of(key), lease, Duration.ZERO);
    }

    void granted(int node, long token) {
        carryOut(phases.voted(node, new Vote.Granted(token)));
    }

    void refused(int node) {
        carryOut(phases.voted(node, new Vote.Refused(OptionalLong.of(1), Optional.empty())));
    }

    void broken(int node) {
        carryOut(phases.voted(node, new Vote.Silent(new RedisCallException("broken", true))));
    }

    void notReached(int node) {
        carryOut(phases.voted(node, new Vote.Silent(new RedisCallException("not connected", false))));
    }

    void raised(int node, boolean done) {
        carryOut(phases.raised(node, done));
    }

    void timeIsUp(Duration waited) {
        carryOut(whenUp.apply(waited));
    }

    void carryOut(List<Step> steps) {
        steps.forEach(step -> step.by(this));
    }

    @Override
    public void limit(Duration time, Function<Duration, List<Step>> whenUp) {
        limits.add(time);
        this.whenUp = whenUp;
    }

    @Override
    public void limitConfirming() {
        confirmingIsLimited = true;
    }

    @Override
    public void raise(int node, RedisLease entry, long proposed) {
        toldTheToken.add(node);
    }

    @Override
    public void withdrawUnlessReleased(int node, RedlockLease given) {
        withdrawn.add(node);
    }

    @Override
    public void grant(RedlockLease given) {
        lease = Optional.of(given);
        ends.add("granted");
    }

    @Override
    public void restore(int node, RedlockLease given) {
        restored.add(node);
    }

    @Override
    public void takeBack(int node, RedlockLease given) {
        takenBack.add(node);
    }

    @Override
    public void refuse(Quorum.Refusals refusals, List<String> said, boolean quietly) {
        ends.add("refused" + (quietly ? ", quietly" : ""));
    }

    @Override
    public void fail(String why, List<String> said, boolean quietly) {
        ends.add(why + " " + said + (quietly ? ", quietly" : ""));
    }
}
