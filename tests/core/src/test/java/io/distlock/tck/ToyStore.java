package io.distlock.tck;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.spi.Lease;
import io.distlock.spi.LeaseRequest;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** What the connections of a toy share: a table of leases, as a database would have it. Thread-safe: its monitor guards it. */
final class ToyStore {

    /** One row: a lease and until when it stands. */
    static final class Row {

        final ToyLease lease;
        final Object connection;
        long until;
        boolean kept;
        Runnable lost = () -> {};

        Row(ToyLease lease, Object connection) {
            this.lease = lease;
            this.connection = connection;
        }
    }

    record ToyLease(LockKey key, LockMode mode, String owner, FencingToken token, Duration renewedFor)
            implements Lease {}

    final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Map<LockKey, List<Row>> rows = new HashMap<>();
    private final Map<LockKey, Map<String, Long>> writers = new HashMap<>();
    private final Ticker ticker;
    private long lastToken;

    ToyStore(Ticker ticker) {
        this.ticker = ticker;
    }

    synchronized List<Row> rows(LockKey key) {
        List<Row> found = rows.computeIfAbsent(key, any -> new ArrayList<>());
        found.removeIf(row -> ticker.nanos() - row.until >= 0);
        return found;
    }

    synchronized List<Row> all() {
        return rows.values().stream().flatMap(List::stream).toList();
    }

    synchronized Optional<Row> find(LockKey key, Predicate<Row> wanted) {
        return rows(key).stream().filter(wanted).findFirst();
    }

    /** Whether another writer waits. A reader lets it pass. */
    synchronized boolean writerWaits(LeaseRequest request) {
        Map<String, Long> waiting = writers.computeIfAbsent(request.key(), any -> new HashMap<>());
        waiting.values().removeIf(until -> ticker.nanos() - until >= 0);
        return !waiting.isEmpty();
    }

    synchronized void note(LeaseRequest request) {
        if (request.mode() == LockMode.EXCLUSIVE && !request.deadline().hasPassed()) {
            writerWaits(request);
            long until = ticker.nanos() + Duration.ofSeconds(6).toNanos();
            writers.get(request.key()).put(request.owner(), until);
        }
    }

    synchronized void forget(LeaseRequest request) {
        writers.getOrDefault(request.key(), new HashMap<>()).remove(request.owner());
    }

    synchronized boolean admits(LeaseRequest request) {
        List<Row> held = rows(request.key());
        return held.isEmpty()
                || (request.mode() == LockMode.SHARED
                        && held.stream().allMatch(row -> row.lease.mode() == LockMode.SHARED));
    }

    synchronized Row add(LeaseRequest request, long token, Object connection) {
        Row row = new Row(
                new ToyLease(
                        request.key(),
                        request.mode(),
                        request.owner(),
                        new FencingToken(token),
                        request.renewedTimeToLive()),
                connection);
        extend(row, request.timeToLive(), true);
        rows(request.key()).add(row);
        return row;
    }

    synchronized void extend(Row row, Duration time, boolean added) {
        long until = ticker.nanos() + time.toNanos();
        row.until = added ? until : Math.max(row.until, until);
    }

    synchronized Duration left(Row row) {
        return Duration.ofNanos(Math.max(0, row.until - ticker.nanos()));
    }

    synchronized long nextTokens(int count) {
        lastToken += count;
        return lastToken - count + 1;
    }

    /** Outside of the monitor. */
    void changed() {
        listeners.forEach(Runnable::run);
    }
}
