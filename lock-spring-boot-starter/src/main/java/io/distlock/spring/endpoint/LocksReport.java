package io.distlock.spring.endpoint;

import io.distlock.LockClient;
import io.distlock.LockHold;
import io.distlock.LockKey;
import io.distlock.LockLoss;
import io.distlock.LockStatus;
import io.distlock.LockWait;
import io.distlock.spi.Ticker;
import io.distlock.spring.LockClients;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.springframework.boot.actuate.endpoint.Sanitizer;

/** Puts together what the endpoint shows. Thread-safe. */
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

    LocksDescriptor locks(LocksQuery query, boolean shown) {
        KeyTexts keys = new KeyTexts(sanitizer, shown);
        Page<At<LockHold>> held = Page.of(
                at(query, LockClient::held, LockHold::key),
                Comparator.comparing((At<LockHold> at) -> at.value().heldFor())
                        .reversed()
                        .thenComparing(at -> at.value().key()),
                query.offset(),
                query.limit());
        Page<At<LockWait>> waiting = Page.of(
                at(query, LockClient::waiting, LockWait::key),
                Comparator.comparing((At<LockWait> at) -> at.value().waited())
                        .reversed()
                        .thenComparing(at -> at.value().key()),
                query.offset(),
                query.limit());
        return new LocksDescriptor(
                held.map(at -> describe(at.provider(), at.value(), keys)),
                waiting.map(at -> describe(at.provider(), at.value(), keys)),
                losses.latest().stream()
                        .filter(lost ->
                                query.covers(lost.provider(), lost.loss().key()))
                        .map(lost -> describe(lost, keys))
                        .toList());
    }

    private <T> Stream<At<T>> at(LocksQuery query, Function<LockClient, Stream<T>> what, Function<T, LockKey> key) {
        return clients.providers().stream()
                .flatMap(provider -> what.apply(clients.get(provider))
                        .filter(each -> query.covers(provider, key.apply(each)))
                        .map(each -> new At<>(provider, each)));
    }

    private LocksDescriptor.Held describe(String provider, LockHold hold, KeyTexts keys) {
        return new LocksDescriptor.Held(
                hold.key().name(),
                keys.key(hold.key()),
                keys.id(hold.key()),
                provider,
                hold.mode(),
                hold.token().value(),
                hold.owner(),
                ago(hold.heldFor()),
                hold.heldFor().toMillis(),
                hold.remaining().toMillis(),
                hold.renewals(),
                hold.thread());
    }

    private LocksDescriptor.Waiting describe(String provider, LockWait wait, KeyTexts keys) {
        return new LocksDescriptor.Waiting(
                wait.key().name(),
                keys.key(wait.key()),
                keys.id(wait.key()),
                provider,
                wait.mode(),
                ago(wait.waited()),
                wait.waited().toMillis(),
                wait.remaining().toMillis(),
                wait.thread());
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

    LockDescriptor describe(String provider, LockStatus status, boolean shown) {
        LockKey key = status.key();
        return new LockDescriptor(
                key.name(),
                new KeyTexts(sanitizer, shown).key(key),
                provider,
                status.mode(),
                status.holders().stream()
                        .map(holder -> describe(provider, key, holder))
                        .toList(),
                status.waiters().orElse(null));
    }

    private LockDescriptor.Holder describe(String provider, LockKey key, LockStatus.Holder holder) {
        boolean here = clients.get(provider)
                .held()
                .anyMatch(hold -> hold.key().equals(key) && holder.token().equals(Optional.of(hold.token())));
        return new LockDescriptor.Holder(
                holder.instance().orElse(null),
                holder.owner(),
                here,
                holder.token().map(token -> token.value()).orElse(null),
                holder.remaining().map(Duration::toMillis).orElse(null));
    }
}
