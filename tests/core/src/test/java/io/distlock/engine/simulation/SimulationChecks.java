package io.distlock.engine.simulation;

import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockLoss;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import io.distlock.Sequencer;
import io.distlock.WaiterInfo;
import io.distlock.support.AcquireLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What must be true in each history. */
final class SimulationChecks {

    /** As LockClient.acquire says, plus the time of the callback executor. */
    private static final Duration LATEST_END =
            SimulatedProvider.CALL_TIMEOUT.plusMillis(250).plusMillis(4);

    private static final Duration LATEST_END_OF_SEVERAL = LATEST_END.plus(SimulatedProvider.CALL_TIMEOUT);

    /** Without faults, at most, with the time of the callback executor. */
    private static final Duration ROUND_TRIP = Duration.ofMillis(45);

    /** Without faults: some round trips. */
    private static final Duration SOON = Duration.ofMillis(150);

    /** Whatever is lost: the longest pause of a waiter, after the claim of a writer that died; and some time for round trips. */
    private static final Duration AT_LAST =
            AcquireLoop.LONGEST_PAUSE.plus(SimulatedProvider.CLAIM).plusSeconds(1);

    private final VirtualTime time;
    private final SimulatedFaults faults;
    private final List<SimulatedProcess> processes;
    private final SimulatedStore store;
    private final List<SimulatedCall> calls = new ArrayList<>();
    private final List<SimulatedCall> holders = new ArrayList<>();
    private final Map<Long, EventOrder> grants = new TreeMap<>();
    private final List<EventOrder> requests = new ArrayList<>();
    private final Set<Long> takenAway = new TreeSet<>();
    private final Map<Long, LockKey> forced = new TreeMap<>();
    private final Map<Long, Integer> confirmed = new TreeMap<>();
    private final Map<LockKey, Long> neglectedSince = new TreeMap<>();
    private final Map<String, Long> lastTokens = new TreeMap<>();

    SimulationChecks(VirtualTime time, SimulatedFaults faults, List<SimulatedProcess> processes, SimulatedStore store) {
        this.time = time;
        this.faults = faults;
        this.processes = processes;
        this.store = store;
    }

    static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    // --- events come in their order, and end once ---

    LockListener.OfRequest watch(SimulatedProcess process) {
        EventOrder life = EventOrder.ofRequest(time, process, process + "'s request " + requests.size());
        requests.add(life);
        return life;
    }

    void event(SimulatedProcess process, LockEvent event) {
        time.note(process.name, event);
        if (event instanceof LockEvent.Acquired acquired) {
            long token = acquired.token().value();
            EventOrder life = EventOrder.ofGrant(time, process, "token " + token);
            require(grants.put(token, life) == null, "token " + token + " is granted again");
        } else if (event instanceof LockEvent.Renewed renewed) {
            grants.get(renewed.token().value()).renewed();
            requireRenewed(renewed);
            process.heldLocks().forEach(lock -> requireKept(process, lock));
        } else if (event instanceof LockEvent.Released released) {
            grants.get(released.token().value()).released(released.outcome());
        } else if (event instanceof LockEvent.Lost lost) {
            lost(process, lost.loss());
        }
    }

    private void lost(SimulatedProcess process, LockLoss loss) {
        EventOrder life = grants.get(loss.token().value());
        life.lost(loss);
        if (loss.reason() == LockLoss.Reason.NOT_OWNER) {
            // A process that was paused may hear of the end of its lease from the store.
            require(!process.isPunctual() || takenAway.contains(loss.token().value()), "nobody took it away: " + loss);
        } else if (process.isPunctual() && !forced.containsKey(loss.token().value())) {
            long left = store.nanosLeft(new Sequencer(loss.key(), loss.mode(), loss.token()));
            require(left > 0, "the store no longer has what is lost only now: " + loss);
        }
        boolean renewed = loss.reason() == LockLoss.Reason.EXPIRED
                && holders.stream()
                        .anyMatch(holder -> holder.request.options().renew()
                                && holder.sequencers().stream()
                                        .anyMatch(each -> each.token().equals(loss.token())));
        require(!faults.isCalm() || !renewed, "it was renewed, without a fault: " + loss);
    }

    /** Each confirmed renewal was carried out: who lost its lock by force goes on until its next one, and no longer. */
    private void requireRenewed(LockEvent.Renewed renewed) {
        int told = confirmed.merge(renewed.token().value(), renewed.confirmed() ? 1 : 0, Integer::sum);
        require(told <= store.renewals(renewed.token()), "the store has not renewed it: " + renewed);
    }

    /** The store keeps a lock for longer than its holder believes in it. */
    private void requireKept(SimulatedProcess process, HeldLock lock) {
        Sequencer grant = lock.sequencers().get(0);
        if (process.isPunctual() && !forced.containsKey(grant.token().value())) {
            long believed = process.virtual(lock.remaining().toNanos());
            require(believed <= store.nanosLeft(grant), process + " believes in " + lock + " for too long");
        }
    }

    // --- exclusion, and losses reported in time ---

    /**
     * @param elsewhere whether its holder does not hear of it yet
     */
    void forced(Sequencer lock, boolean elsewhere) {
        takenAway.add(lock.token().value());
        if (elsewhere) {
            forced.put(lock.token().value(), lock.key());
        }
    }

    /** The store is about to grant a key: nobody may still rely on having it. */
    void beforeGrant(SimulatedStore.Entry next) {
        for (SimulatedCall holder : holders) {
            if (holder.process.isPunctual() && !holder.isReleasing()) {
                for (Sequencer held : conflicting(next, holder.sequencers())) {
                    require(
                            grants.get(held.token().value()).isOver(),
                            next + " is granted before " + holder + " hears of the loss of token " + held.token());
                }
            }
        }
        for (SimulatedProcess process : processes) {
            for (HeldLock lock : process.heldLocks()) {
                boolean harmless =
                        process.isDead() || conflicting(next, lock.sequencers()).isEmpty();
                require(harmless || !lock.isHeld(), next + " is granted while " + process + " has " + lock);
            }
        }
    }

    private List<Sequencer> conflicting(SimulatedStore.Entry next, List<Sequencer> held) {
        return held.stream()
                .filter(each -> next.excludes(each.key(), each.mode())
                        && !forced.containsKey(each.token().value()))
                .toList();
    }

    /** A user gets a lock. */
    void granted(SimulatedCall call) {
        holders.removeIf(holder -> holder.process.isDead()
                || holder.sequencers().stream()
                        .allMatch(each -> grants.get(each.token().value()).isOver()));
        if (call.isHeld()) {
            for (SimulatedCall other : holders) {
                require(!conflict(call, other) || !other.isHeld(), call + " and " + other + " hold the same key");
            }
            call.sequencers().forEach(this::requireLargerToken);
            call.process.heldLocks().forEach(lock -> requireKept(call.process, lock));
        }
        holders.add(call);
    }

    private boolean conflict(SimulatedCall one, SimulatedCall other) {
        boolean exclusive = Stream.of(one, other).anyMatch(call -> call.request.mode() == LockMode.EXCLUSIVE);
        List<LockKey> keys = one.sequencers().stream().map(Sequencer::key).toList();
        return exclusive
                && other.sequencers().stream()
                        .anyMatch(each -> keys.contains(each.key())
                                && !forced.containsKey(each.token().value()));
    }

    /** Each permit is a lock of its own: if no two calls have the same key, the bound is kept. */
    void permitted(LockRequest request, HeldLock lock) {
        require(lock.permit() <= request.permits(), lock + " is permit " + lock.permit() + " of " + request.permits());
        LockKey key = request.keys().get(0).permit(lock.permit());
        require(request.permits() == 1 || lock.keys().equals(List.of(key)), lock + " is not " + key);
    }

    private void requireLargerToken(Sequencer grant) {
        String writer = grant.key() + " " + LockMode.EXCLUSIVE;
        String any = grant.key().toString();
        long last = lastTokens.getOrDefault(grant.mode() == LockMode.EXCLUSIVE ? any : writer, 0L);
        require(grant.token().value() > last, grant + " comes after token " + last);
        lastTokens.merge(any, grant.token().value(), Math::max);
        if (grant.mode() == LockMode.EXCLUSIVE) {
            lastTokens.put(writer, grant.token().value());
        }
    }

    // --- requests end in time, and nobody waits for a free key ---

    void asks(SimulatedCall call) {
        calls.add(call);
    }

    void ended(SimulatedCall call, @Nullable Throwable failure) {
        Duration late = call.late();
        boolean several = call.request.keys().size() > 1;
        Duration most = faults.isCalm() ? SOON : several ? LATEST_END_OF_SEVERAL : LATEST_END;
        if (call.request.options().waitTime().isZero()) {
            most = most.multipliedBy(call.request.keys().size()).multipliedBy(call.request.permits());
        }
        require(late.compareTo(most) <= 0, call + " ends " + late + " after its wait time");
        // Of several keys, one may expire while the others are waited for; and a call behind another may end before the
        // answer.
        boolean mayFail = several || call.request.options().waitTime().compareTo(ROUND_TRIP) < 0;
        require(
                !faults.isCalm() || mayFail || failure == null || failure instanceof CancellationException,
                call + " fails without a fault: " + failure);
    }

    /** A free key is not left to wait for; with faults, not for long. */
    void look(LockKey key) {
        look(key, !isBelievedHeld(key) && processes.stream().anyMatch(process -> isNeglected(process, key)));
    }

    /** The first permit is the key itself. */
    void lookAtPermits(LockKey key) {
        for (int permit = 2; permit <= Simulation.MOST_PERMITS; permit++) {
            int wanted = permit;
            LockKey slot = key.permit(permit);
            look(
                    slot,
                    !isBelievedHeld(slot)
                            && (faults.isCalm() ? store.isFree(slot, LockMode.EXCLUSIVE) : store.isUnheld(slot))
                            && calls.stream().anyMatch(call -> isWaiting(call, key, wanted)));
        }
    }

    private static boolean isWaiting(SimulatedCall call, LockKey key, int permit) {
        return call.request.permits() >= permit
                && call.request.keys().contains(key)
                && !call.hasEnded()
                && call.process.isRunning()
                && call.waited().compareTo(SOON) > 0;
    }

    private void look(LockKey key, boolean neglected) {
        long since = neglected ? neglectedSince.computeIfAbsent(key, start -> time.nanos()) : time.nanos();
        Duration most = faults.isCalm() ? SOON : AT_LAST;
        require(time.nanos() - since <= most.toNanos(), key + " is free, and waited for");
        if (!neglected) {
            neglectedSince.remove(key);
        }
    }

    /** By a holder who does not know yet that it was taken away, and in whose process others may be waiting. */
    private boolean isBelievedHeld(LockKey key) {
        return forced.entrySet().stream()
                .anyMatch(taken -> taken.getValue().equals(key)
                        && !grants.get(taken.getKey()).isOver());
    }

    private boolean isNeglected(SimulatedProcess process, LockKey key) {
        List<LockMode> waiting = process.client
                .waiting()
                .filter(waiter -> waiter.key().equals(key) && waiter.waited().compareTo(SOON) > 0)
                .map(WaiterInfo::mode)
                .toList();
        // Others may wait in the process behind a reader.
        LockMode mode = waiting.contains(LockMode.SHARED) ? LockMode.SHARED : LockMode.EXCLUSIVE;
        return !waiting.isEmpty() && (faults.isCalm() ? store.isFree(key, mode) : isUnheld(process, key));
    }

    private boolean isUnheld(SimulatedProcess process, LockKey key) {
        return process.isRunning() && store.isUnheld(key);
    }

    // --- nothing is left in the end ---

    List<SimulatedCall> holders() {
        return holders;
    }

    void end() {
        calls.forEach(call -> require(call.process.isDead() || call.hasEnded(), call + " never ends"));
        requests.forEach(SimulationChecks::requireOver);
        grants.values().forEach(SimulationChecks::requireOver);
        require(store.subscribers().isEmpty(), "subscriptions are left: " + store.subscribers());
        store.granted().forEach(entry -> require(mayStay(entry), "the store still has " + entry));
        processes.stream().filter(process -> !process.isDead()).forEach(SimulatedProcess::requireNothingLeft);
    }

    private static void requireOver(EventOrder life) {
        require(life.process.isDead() || life.isOver(), life + " at the end");
    }

    /** Those of the dead expire, like those of a closed client's users, and those with a lock-delay. */
    private boolean mayStay(SimulatedStore.Entry entry) {
        EventOrder life = grants.get(entry.token);
        boolean dead =
                processes.stream().anyMatch(process -> process.isDead() && entry.owner.startsWith(process.name + "~"));
        return dead || (life != null && life.mayStay(Simulation.isDelayed(entry.key)));
    }
}
