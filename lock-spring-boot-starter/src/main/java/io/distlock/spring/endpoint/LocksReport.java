package io.distlock.spring.endpoint;

import io.distlock.HeldLockInfo;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockStatus;
import io.distlock.WaiterInfo;
import io.distlock.spi.Ticker;
import io.distlock.spring.LockClients;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;

/** Builds what the endpoint shows. Thread-safe. */
final class LocksReport {

    private final LockClients clients;
    private final RecentLosses losses;
    private final Ticker ticker;
    private final Sanitizer sanitizer;

    LocksReport(LockClients clients, RecentLosses losses, Ticker ticker, Sanitizer sanitizer) {
        this.clients = clients;
        this.losses = losses;
        this.ticker = ticker;
        this.sanitizer = sanitizer;
    }

    private record At<T>(String provider, T value) {}

    LocksDescriptor locks(Query query, boolean shown) {
        KeyTexts keys = new KeyTexts(sanitizer, shown);
        return new LocksDescriptor(
                page(query, LockClient::held, HeldLockInfo::key, HeldLockInfo::heldFor)
                        .map(at -> describe(at.provider(), at.value(), keys)),
                page(query, LockClient::waiting, WaiterInfo::key, WaiterInfo::waited)
                        .map(at -> describe(at.provider(), at.value(), keys)),
                losses.latest().stream()
                        .filter(lost ->
                                query.covers(lost.provider(), lost.loss().key()))
                        .map(lost -> describe(lost, keys))
                        .toList());
    }

    /** Longest first. */
    private <T> LocksDescriptor.Page<At<T>> page(
            Query query,
            Function<LockClient, Stream<T>> what,
            Function<T, LockKey> key,
            Function<T, Duration> duration) {
        Stream<At<T>> all = clients.providers().stream()
                .flatMap(provider -> what.apply(clients.get(provider))
                        .filter(each -> query.covers(provider, key.apply(each)))
                        .map(each -> new At<>(provider, each)));
        Comparator<At<T>> shortestFirst = Comparator.comparing(at -> duration.apply(at.value()));
        return LocksDescriptor.Page.of(
                all,
                shortestFirst.reversed().thenComparing(at -> key.apply(at.value())),
                query.offset(),
                query.limit());
    }

    private LocksDescriptor.Held describe(String provider, HeldLockInfo held, KeyTexts keys) {
        return new LocksDescriptor.Held(
                held.key().name(),
                keys.key(held.key()),
                keys.id(held.key()),
                provider,
                held.mode(),
                held.token().value(),
                held.owner(),
                ago(held.heldFor()),
                held.heldFor().toMillis(),
                held.remaining().toMillis(),
                held.renewals(),
                held.thread());
    }

    private LocksDescriptor.Waiting describe(String provider, WaiterInfo waiter, KeyTexts keys) {
        return new LocksDescriptor.Waiting(
                waiter.key().name(),
                keys.key(waiter.key()),
                keys.id(waiter.key()),
                provider,
                waiter.mode(),
                ago(waiter.waited()),
                waiter.waited().toMillis(),
                waiter.remaining().toMillis(),
                waiter.thread());
    }

    private static LocksDescriptor.Loss describe(RecentLosses.Lost lost, KeyTexts keys) {
        LockLoss loss = lost.loss();
        return new LocksDescriptor.Loss(
                loss.key().name(),
                keys.key(loss.key()),
                lost.provider(),
                loss.mode(),
                loss.token().value(),
                Instant.ofEpochMilli(lost.atMillis()),
                loss.heldFor().toMillis(),
                loss.sinceRenewal().toMillis(),
                loss.reason());
    }

    private Instant ago(Duration time) {
        return Instant.ofEpochMilli(ticker.wallMillis()).minusMillis(time.toMillis());
    }

    LocksDescriptor.Inspection describe(String provider, LockStatus status, boolean shown) {
        LockKey key = status.key();
        return new LocksDescriptor.Inspection(
                key.name(),
                new KeyTexts(sanitizer, shown).key(key),
                provider,
                status.mode(),
                status.holders().stream()
                        .map(holder -> describe(provider, key, holder))
                        .toList(),
                status.waiters().orElse(null));
    }

    private LocksDescriptor.Holder describe(String provider, LockKey key, LockStatus.Holder holder) {
        boolean here = clients.get(provider)
                .held()
                .anyMatch(held -> held.key().equals(key) && holder.token().equals(Optional.of(held.token())));
        return new LocksDescriptor.Holder(
                holder.instance().orElse(null),
                holder.owner(),
                here,
                holder.token().map(token -> token.value()).orElse(null),
                holder.remaining().map(Duration::toMillis).orElse(null));
    }

    /** Selects locks by name and provider, if given, and a page of those. */
    record Query(@Nullable String name, @Nullable String provider, int offset, int limit) {

        static final int DEFAULT_LIMIT = 50;

        static final int MAX_LIMIT = 500;

        Query {
            require(offset >= 0, "offset " + offset + " must not be negative");
            require(limit >= 1 && limit <= MAX_LIMIT, "limit must be 1 to " + MAX_LIMIT + ", not " + limit);
        }

        static Query of(
                @Nullable String name, @Nullable String provider, @Nullable Integer offset, @Nullable Integer limit) {
            return new Query(name, provider, offset == null ? 0 : offset, limit == null ? DEFAULT_LIMIT : limit);
        }

        boolean covers(String itsProvider, LockKey key) {
            return (name == null || name.equals(key.name())) && (provider == null || provider.equals(itsProvider));
        }

        private static void require(boolean kept, String rule) {
            if (!kept) {
                throw new InvalidEndpointRequestException(rule, rule);
            }
        }
    }

    /**
     * Shows or hides the keys of locks: a key may be an e-mail address. Names are never hidden.
     *
     * @param sanitizer called with the lock's name as key and its key as value
     */
    private record KeyTexts(Sanitizer sanitizer, boolean shown) {

        /** The key under the name, if there is one. */
        @Nullable
        String key(LockKey lock) {
            return lock.key().map(key -> sanitized(lock, key)).orElse(null);
        }

        /** The lock's id in the path of an inspection; hidden if its key is. */
        String id(LockKey lock) {
            boolean open =
                    lock.key().filter(key -> !sanitized(lock, key).equals(key)).isEmpty();
            return open ? lock.text() : SanitizableData.SANITIZED_VALUE;
        }

        private String sanitized(LockKey lock, String key) {
            return String.valueOf(sanitizer.sanitize(new SanitizableData(null, lock.name(), key), shown));
        }
    }
}
