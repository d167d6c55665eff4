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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;

/** Builds what the endpoint shows. Hides the keys of locks, which may be e-mail addresses, and never names. Thread-safe. */
final class LocksReport {

    private static final int MOST_SHOWN = 100;

    private final LockClients clients;
    private final RecentLosses losses;
    private final Sanitizer sanitizer;

    LocksReport(LockClients clients, RecentLosses losses, Sanitizer sanitizer) {
        this.clients = clients;
        this.losses = losses;
        this.sanitizer = sanitizer;
    }

    private record At<T>(String provider, T value) {}

    LocksDescriptor locks(@Nullable String name, @Nullable String provider, boolean shown) {
        List<String> providers = provider == null
                ? List.copyOf(clients.providers())
                : List.of(clients.get(provider).provider());
        return new LocksDescriptor(
                longest(
                        all(providers, LockClient::held)
                                .filter(at -> isOf(name, at.value().key())),
                        Comparator.comparing(at -> at.value().since()),
                        at -> describe(at.provider(), at.value(), shown)),
                longest(
                        all(providers, LockClient::waiting)
                                .filter(at -> isOf(name, at.value().key())),
                        Comparator.comparing(at -> at.value().since()),
                        at -> describe(at.provider(), at.value(), shown)),
                losses.latest().stream()
                        .filter(lost -> providers.contains(lost.provider())
                                && isOf(name, lost.loss().key()))
                        .map(lost -> describe(lost, shown))
                        .toList());
    }

    private <T> Stream<At<T>> all(List<String> providers, Function<LockClient, Stream<T>> what) {
        return providers.stream()
                .flatMap(provider -> what.apply(clients.get(provider)).map(each -> new At<>(provider, each)));
    }

    /** By the time of their beginning: durations of two clients, which each read the clock when asked, cannot be compared. */
    private static <T, R> LocksDescriptor.Longest<R> longest(
            Stream<At<T>> all, Comparator<At<T>> oldestFirst, Function<At<T>, R> description) {
        List<At<T>> sorted = all.sorted(oldestFirst).toList();
        return new LocksDescriptor.Longest<>(
                sorted.size(),
                sorted.stream().limit(MOST_SHOWN).map(description).toList());
    }

    private static boolean isOf(@Nullable String name, LockKey key) {
        return name == null || name.equals(key.name());
    }

    private LocksDescriptor.Held describe(String provider, HeldLockInfo held, boolean shown) {
        return new LocksDescriptor.Held(
                held.key().name(),
                shownKey(held.key(), shown),
                held.permit(),
                provider,
                held.mode(),
                held.token().value(),
                held.owner(),
                held.since(),
                held.heldFor().toMillis(),
                held.remaining().toMillis(),
                held.renewals(),
                held.thread());
    }

    private LocksDescriptor.Waiting describe(String provider, WaiterInfo waiter, boolean shown) {
        return new LocksDescriptor.Waiting(
                waiter.key().name(),
                shownKey(waiter.key(), shown),
                waiter.permits(),
                provider,
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

    /** Asks the store: for each of so many permits. */
    LocksDescriptor.Inspection inspect(LockClient client, LockKey key, int permits, boolean shown) {
        boolean all = shown || key.key().isEmpty();
        List<LocksDescriptor.Holder> holders = new ArrayList<>();
        List<LockStatus> taken = new ArrayList<>();
        for (int permit = 1; permit <= permits; permit++) {
            int number = permit;
            client.inspect(key.permit(permit)).ifPresent(status -> {
                taken.add(status);
                status.holders().forEach(holder -> holders.add(describe(client, status.key(), number, holder, all)));
            });
        }
        return new LocksDescriptor.Inspection(
                key.name(),
                shownKey(key, shown),
                client.provider(),
                !taken.isEmpty(),
                taken.isEmpty() ? null : taken.get(0).mode(),
                holders,
                // Whoever waits for a permit waits for all of them.
                taken.stream()
                        .flatMap(status -> status.waiters().stream())
                        .max(Comparator.naturalOrder())
                        .orElse(null));
    }

    /** Who knows a hidden key must not learn by it which of the listed locks it is. */
    private LocksDescriptor.Holder describe(
            LockClient client, LockKey key, int permit, LockStatus.Holder holder, boolean shown) {
        boolean here = client.held()
                .anyMatch(held -> held.key().equals(key) && holder.token().equals(Optional.of(held.token())));
        return new LocksDescriptor.Holder(
                permit,
                holder.instance().orElse(null),
                shown ? holder.owner() : SanitizableData.SANITIZED_VALUE,
                here,
                shown ? holder.token().map(FencingToken::value).orElse(null) : null,
                holder.remaining().map(Duration::toMillis).orElse(null));
    }

    /** The lock, for the log of audit events. */
    String text(LockKey lock, boolean shown) {
        String key = shownKey(lock, shown);
        return key == null ? lock.name() : lock.name() + ':' + key;
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
