package io.distlock.spring.endpoint;

import io.distlock.FencingToken;
import io.distlock.HeldLockInfo;
import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockKey;
import io.distlock.LockListener;
import io.distlock.LockLoss;
import io.distlock.LockStatus;
import io.distlock.WaiterInfo;
import io.distlock.spi.Ticker;
import io.distlock.spring.LockClients;
import io.distlock.spring.endpoint.LocksDescriptor.Page;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;

/** Builds what the endpoint shows. Hides the keys of locks, which may be e-mail addresses, and never names. Thread-safe. */
final class LocksReport {

    private static final int ID_BYTES = 8;

    private final LockClients clients;
    private final RecentLosses losses;
    private final Sanitizer sanitizer;

    /** Without it, hidden keys could be guessed from their ids. */
    private final String secret = UUID.randomUUID().toString();

    LocksReport(LockClients clients, RecentLosses losses, Sanitizer sanitizer) {
        this.clients = clients;
        this.losses = losses;
        this.sanitizer = sanitizer;
    }

    record Place(String provider, LockKey key) {}

    private record At<T>(Place place, Instant since, Duration duration, T value) {}

    LocksDescriptor locks(@Nullable String name, @Nullable String provider, int offset, int limit, boolean shown) {
        List<String> providers = provider == null
                ? List.copyOf(clients.providers())
                : List.of(clients.get(provider).provider());
        return new LocksDescriptor(
                page(held(providers), name, offset, limit).map(at -> describe(at.place(), at.value(), shown)),
                page(waiting(providers), name, offset, limit).map(at -> describe(at.place(), at.value(), shown)),
                losses.latest().stream()
                        .filter(lost -> providers.contains(lost.provider())
                                && isOf(name, lost.loss().key()))
                        .map(lost -> describe(lost, shown))
                        .toList());
    }

    private Stream<At<HeldLockInfo>> held(List<String> providers) {
        return all(providers, LockClient::held, HeldLockInfo::key, HeldLockInfo::since, HeldLockInfo::heldFor);
    }

    private Stream<At<WaiterInfo>> waiting(List<String> providers) {
        return all(providers, LockClient::waiting, WaiterInfo::key, WaiterInfo::since, WaiterInfo::waited);
    }

    private <T> Stream<At<T>> all(
            List<String> providers,
            Function<LockClient, Stream<T>> what,
            Function<T, LockKey> key,
            Function<T, Instant> since,
            Function<T, Duration> duration) {
        return providers.stream()
                .flatMap(provider -> what.apply(clients.get(provider))
                        .map(each -> new At<>(
                                new Place(provider, key.apply(each)), since.apply(each), duration.apply(each), each)));
    }

    /** Longest first. Durations of two clients are not comparable, since each client reads the clock when it is asked. */
    private static <T> Page<At<T>> page(Stream<At<T>> all, @Nullable String name, int offset, int limit) {
        Comparator<At<T>> oldestFirst = Comparator.comparing(At::since);
        return Page.of(
                all.filter(at -> isOf(name, at.place().key())),
                oldestFirst
                        .thenComparing(at -> at.place().provider())
                        .thenComparing(At::duration, Comparator.reverseOrder())
                        .thenComparing(at -> at.place().key()),
                offset,
                limit);
    }

    private static boolean isOf(@Nullable String name, LockKey key) {
        return name == null || name.equals(key.name());
    }

    private LocksDescriptor.Held describe(Place place, HeldLockInfo held, boolean shown) {
        return new LocksDescriptor.Held(
                held.key().name(),
                shownKey(held.key(), shown),
                id(place),
                place.provider(),
                held.mode(),
                held.token().value(),
                held.owner(),
                held.since(),
                held.heldFor().toMillis(),
                held.remaining().toMillis(),
                held.renewals(),
                held.thread());
    }

    private LocksDescriptor.Waiting describe(Place place, WaiterInfo waiter, boolean shown) {
        return new LocksDescriptor.Waiting(
                waiter.key().name(),
                shownKey(waiter.key(), shown),
                id(place),
                place.provider(),
                waiter.mode(),
                waiter.since(),
                waiter.waited().toMillis(),
                waiter.remaining().toMillis(),
                waiter.thread());
    }

    private LocksDescriptor.Loss describe(RecentLosses.Lost lost, boolean shown) {
        LockLoss loss = lost.loss();
        return new LocksDescriptor.Loss(
                loss.key().name(),
                shownKey(loss.key(), shown),
                lost.provider(),
                loss.mode(),
                loss.token().value(),
                lost.at(),
                loss.heldFor().toMillis(),
                loss.sinceRenewal().toMillis(),
                loss.reason());
    }

    /** Asks the store. */
    LocksDescriptor.Inspection inspect(Place place, boolean shown, boolean byId) {
        Optional<LockStatus> status = clients.get(place.provider()).inspect(place.key());
        return new LocksDescriptor.Inspection(
                place.key().name(),
                shownKey(place.key(), shown),
                place.provider(),
                status.isPresent(),
                status.map(LockStatus::mode).orElse(null),
                status.stream()
                        .flatMap(taken -> taken.holders().stream())
                        .map(holder -> describe(
                                place,
                                holder,
                                shown || byId || place.key().key().isEmpty()))
                        .toList(),
                status.flatMap(LockStatus::waiters).orElse(null));
    }

    /** Who knows a hidden key must not learn by it which of the listed locks it is. */
    private LocksDescriptor.Holder describe(Place place, LockStatus.Holder holder, boolean shown) {
        boolean here = clients.get(place.provider())
                .held()
                .anyMatch(
                        held -> held.key().equals(place.key()) && holder.token().equals(Optional.of(held.token())));
        return new LocksDescriptor.Holder(
                holder.instance().orElse(null),
                shown ? holder.owner() : SanitizableData.SANITIZED_VALUE,
                here,
                shown ? holder.token().map(FencingToken::value).orElse(null) : null,
                holder.remaining().map(Duration::toMillis).orElse(null));
    }

    /** The lock that has this id, if this instance holds it or waits for it. */
    Optional<Place> place(String id) {
        List<String> providers = List.copyOf(clients.providers());
        return Stream.<At<?>>concat(held(providers), waiting(providers))
                .map(At::place)
                .filter(place -> id(place).equals(id))
                .findFirst();
    }

    private String id(Place place) {
        String text = secret + place.provider() + ' ' + place.key().text();
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)), 0, ID_BYTES);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The lock, for the log of audit events. */
    String text(Place place, boolean shown) {
        String key = shownKey(place.key(), shown);
        return key == null ? place.key().name() : place.key().name() + ':' + key;
    }

    /** {@link SanitizableData} has the lock's name as key and its key as value. */
    private @Nullable String shownKey(LockKey lock, boolean shown) {
        return lock.key()
                .map(key -> String.valueOf(sanitizer.sanitize(new SanitizableData(null, lock.name(), key), shown)))
                .orElse(null);
    }

    /** Remembers the latest hundred lost locks. Thread-safe. */
    static final class RecentLosses implements LockListener {

        private static final int MOST = 100;

        private final Ticker ticker;
        private final Deque<Lost> latest = new ArrayDeque<>();

        record Lost(String provider, LockLoss loss, Instant at) {}

        RecentLosses(Ticker ticker) {
            this.ticker = ticker;
        }

        @Override
        public synchronized void onEvent(LockEvent event) {
            if (event instanceof LockEvent.Lost lost) {
                if (latest.size() == MOST) {
                    latest.removeLast();
                }
                latest.addFirst(new Lost(lost.provider(), lost.loss(), Instant.ofEpochMilli(ticker.wallMillis())));
            }
        }

        /** The newest first. */
        synchronized List<Lost> latest() {
            return List.copyOf(latest);
        }
    }
}
