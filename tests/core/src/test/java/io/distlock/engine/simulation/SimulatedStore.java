package io.distlock.engine.simulation;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.Sequencer;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The store: its commands do what the scripts of the Redis provider do. Exclusive locks, readers, a waiting writer whom
 * readers must let pass, minimum hold times, and subscribers who are told of releases.
 */
final class SimulatedStore {

    private static final long TIME_TO_COME_BACK = 1_000_000_000;

    private final VirtualTime time;
    private final Map<LockKey, KeyState> keys = new TreeMap<>();
    private final List<SimulatedProvider.Listener> subscribers = new ArrayList<>();
    private Consumer<Entry> beforeGrant = entry -> {};
    private final Map<Long, Integer> renewals = new TreeMap<>();
    private long lastToken;

    /** A grant, for as long as it lasts. */
    static final class Entry {

        final LockKey key;
        final LockMode mode;
        final String owner;
        final long token;
        private long until;
        private boolean kept;

        Entry(LeaseRequest request, long token) {
            this.key = request.key();
            this.mode = request.mode();
            this.owner = request.owner();
            this.token = token;
        }

        boolean excludes(LockKey key, LockMode mode) {
            return this.key.equals(key) && (this.mode == LockMode.EXCLUSIVE || mode == LockMode.EXCLUSIVE);
        }

        @Override
        public String toString() {
            return key + " " + mode + " token " + token + " to " + owner;
        }
    }

    private static final class KeyState {

        private final Map<Long, Entry> entries = new LinkedHashMap<>();
        private String claimant = "";
        private long claimedUntil;
    }

    /** The answer to a try: the token of the grant or, if there is none, when another try is worthwhile. */
    record Answer(Optional<FencingToken> token, Duration freeIn) {}

    SimulatedStore(VirtualTime time) {
        this.time = time;
    }

    void beforeGrant(Consumer<Entry> action) {
        beforeGrant = action;
    }

    Answer acquire(LeaseRequest request, Duration wait) {
        KeyState state = look(request.key());
        Optional<Entry> same = find(state, request.owner());
        if (same.isPresent()) {
            extend(same.get(), request.timeToLive());
            return new Answer(same.map(entry -> new FencingToken(entry.token)), Duration.ZERO);
        }
        long freeIn = request.mode() == LockMode.EXCLUSIVE ? forWriter(state, request, wait) : forReader(state);
        if (freeIn > 0) {
            time.note(
                    "store",
                    "refuses " + request.key() + " to " + request.owner() + " for " + freeIn / 1_000_000 + " ms");
            return new Answer(Optional.empty(), Duration.ofNanos(freeIn));
        }
        Entry entry = new Entry(request, ++lastToken);
        beforeGrant.accept(entry);
        time.note("store", "grants " + entry);
        extend(entry, request.timeToLive());
        state.entries.put(entry.token, entry);
        return new Answer(Optional.of(new FencingToken(entry.token)), Duration.ZERO);
    }

    /** How long until all entries are over; zero if it can be granted now. */
    private long forWriter(KeyState state, LeaseRequest request, Duration wait) {
        long last = state.entries.values().stream()
                .mapToLong(entry -> entry.until - time.nanos())
                .max()
                .orElse(0);
        boolean readers = state.entries.values().stream().anyMatch(entry -> entry.mode == LockMode.SHARED);
        if (readers && !wait.isZero()) {
            long until = time.nanos() + Math.min(wait.toNanos(), last + TIME_TO_COME_BACK);
            if (state.claimant.isEmpty() || state.claimant.equals(request.owner()) || state.claimedUntil < until) {
                state.claimant = request.owner();
                state.claimedUntil = until;
            }
        }
        if (last <= 0 && state.claimant.equals(request.owner())) {
            state.claimant = "";
        }
        return last;
    }

    private long forReader(KeyState state) {
        long writer = state.entries.values().stream()
                .filter(entry -> entry.mode == LockMode.EXCLUSIVE)
                .mapToLong(entry -> entry.until - time.nanos())
                .max()
                .orElse(0);
        return writer > 0 || state.claimant.isEmpty() ? writer : state.claimedUntil - time.nanos();
    }

    Renewal extend(LockKey key, FencingToken token, Duration timeToLive) {
        Entry entry = look(key).entries.get(token.value());
        if (entry == null || entry.kept) {
            return Renewal.NOT_OWNER;
        }
        extend(entry, timeToLive);
        renewals.merge(token.value(), 1, Integer::sum);
        return Renewal.RENEWED;
    }

    /** How many renewals of a grant it has carried out. */
    int renewals(FencingToken token) {
        return renewals.getOrDefault(token.value(), 0);
    }

    private void extend(Entry entry, Duration timeToLive) {
        entry.until = Math.max(entry.until, time.nanos() + timeToLive.toNanos());
    }

    /** Releases the owner's grant and claim. */
    Release release(LockKey key, String owner, Duration keepFor) {
        KeyState state = look(key);
        Optional<Entry> entry = find(state, owner);
        entry.ifPresent(ended -> end(state, ended, keepFor));
        boolean passed = state.claimant.equals(owner);
        state.claimant = passed ? "" : state.claimant;
        if (entry.isPresent() || passed) {
            List.copyOf(subscribers).forEach(subscriber -> subscriber.announce(key));
        }
        return entry.isPresent() ? Release.RELEASED : Release.NOT_OWNER;
    }

    private void end(KeyState state, Entry entry, Duration keepFor) {
        time.note("store", "frees " + entry + (keepFor.toNanos() > 0 ? " in " + keepFor.toMillis() + " ms" : ""));
        entry.kept = true;
        entry.until = time.nanos() + keepFor.toNanos();
        state.entries.values().removeIf(this::isOver);
    }

    Release forceRelease(LockKey key, FencingToken token) {
        Entry entry = look(key).entries.get(token.value());
        return entry == null || entry.kept ? Release.NOT_OWNER : release(key, entry.owner, Duration.ZERO);
    }

    private Optional<Entry> find(KeyState state, String owner) {
        return state.entries.values().stream()
                .filter(entry -> !entry.kept && entry.owner.equals(owner))
                .findFirst();
    }

    /** The key's state without what has expired. */
    private KeyState look(LockKey key) {
        KeyState state = keys.computeIfAbsent(key, none -> new KeyState());
        state.entries.values().removeIf(this::isOver);
        state.claimant = state.claimedUntil - time.nanos() > 0 ? state.claimant : "";
        return state;
    }

    private boolean isOver(Entry entry) {
        return entry.until - time.nanos() <= 0;
    }

    // --- what the provider's connections and the checks see ---

    List<SimulatedProvider.Listener> subscribers() {
        return subscribers;
    }

    /** For readers past the last claim: one that was refused for a writer comes back when the claim would have ended. */
    boolean isFree(LockKey key, LockMode mode) {
        KeyState state = look(key);
        return state.entries.isEmpty() && (mode == LockMode.EXCLUSIVE || state.claimedUntil - time.nanos() <= 0);
    }

    /** Whether nobody has it, though readers may have to let a writer pass. */
    boolean isUnheld(LockKey key) {
        return look(key).entries.isEmpty();
    }

    /** Whom readers let pass: the owner of a waiting writer's request, or nobody. */
    Optional<String> claimant(LockKey key) {
        return Optional.of(look(key).claimant).filter(owner -> !owner.isEmpty());
    }

    boolean isHeldByReaders(LockKey key) {
        return look(key).entries.values().stream().anyMatch(entry -> entry.mode == LockMode.SHARED && !entry.kept);
    }

    /** How long a grant lasts; zero if it has ended. */
    long nanosLeft(Sequencer grant) {
        Entry entry = look(grant.key()).entries.get(grant.token().value());
        return entry == null || entry.kept ? 0 : entry.until - time.nanos();
    }

    /** All grants that nobody has released and whose time is not over. */
    List<Entry> granted() {
        return keys.keySet().stream()
                .flatMap(key -> look(key).entries.values().stream())
                .filter(entry -> !entry.kept)
                .toList();
    }
}
