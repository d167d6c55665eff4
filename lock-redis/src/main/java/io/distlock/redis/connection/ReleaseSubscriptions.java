package io.distlock.redis.connection;

import io.distlock.support.TryLockStore;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Listens to channels on one connection for all waiters: the first waiter of a channel subscribes, the last unsubscribes.
 * After a reconnection the driver subscribes again, and all waiters are woken: a message may have been missed.
 *
 * <p>Commands are sent under the monitor (which does not block). Still, the driver's own thread overtakes others, whose
 * commands it queues: see {@code repeatIfOvertaken}. Listeners are called outside the monitor.
 */
public final class ReleaseSubscriptions {

    private final RedisConnection<StatefulRedisPubSubConnection<String, String>> connection;
    private final Map<String, Channel> channels = new HashMap<>();
    private @Nullable StatefulRedisPubSubConnection<String, String> listenedTo;

    public ReleaseSubscriptions(RedisConnection<StatefulRedisPubSubConnection<String, String>> connection) {
        this.connection = connection;
    }

    private record Channel(CompletableFuture<?> confirmed, Set<Listener> listeners, AtomicBoolean announced) {}

    /** As {@link TryLockStore#subscribe}. */
    public CompletionStage<TryLockStore.Subscription> subscribe(String channel, Runnable wake) {
        return connection
                .connect()
                .exceptionallyCompose(failure ->
                        CompletableFuture.failedFuture(new RedisCallException("connecting to listen", failure, false)))
                .thenCompose(connected -> join(connected, new Listener(channel, wake)));
    }

    private CompletionStage<TryLockStore.Subscription> join(
            StatefulRedisPubSubConnection<String, String> connected, Listener listener) {
        Channel channel;
        synchronized (this) {
            if (listenedTo != connected) {
                listenedTo = connected;
                connected.addListener(new Wakener());
            }
            channel = channels.computeIfAbsent(
                    listener.channel,
                    name -> new Channel(
                            connected.async().subscribe(name).toCompletableFuture(),
                            new LinkedHashSet<>(),
                            new AtomicBoolean()));
            channel.listeners.add(listener);
        }
        return channel.confirmed.handle((confirmed, failure) -> {
            if (failure != null) {
                listener.close();
                throw new RedisCallException("SUBSCRIBE", failure, false);
            }
            return listener;
        });
    }

    private final class Wakener extends RedisPubSubAdapter<String, String> {

        @Override
        public void message(String channel, String message) {
            wake(channel);
        }

        @Override
        public void subscribed(String channel, long count) {
            if (isAgain(channel)) {
                wake(channel);
            }
        }

        @Override
        public void unsubscribed(String channel, long count) {
            repeatIfOvertaken(channel);
        }
    }

    /** A SUBSCRIBE that has been confirmed before the UNSUBSCRIBE that was to precede it counts no more. */
    private synchronized void repeatIfOvertaken(String name) {
        Channel channel = channels.get(name);
        if (channel != null && channel.announced.get() && listenedTo != null) {
            listenedTo.async().subscribe(name);
        }
    }

    /** After the first confirmation, waiters try unprompted; before each later one, messages may have been missed. */
    private synchronized boolean isAgain(String name) {
        Channel channel = channels.get(name);
        if (channel == null) {
            // UNSUBSCRIBE was not sent while disconnected, and the driver has resubscribed.
            unsubscribe(name);
            return false;
        }
        return channel.announced.getAndSet(true);
    }

    private void wake(String name) {
        List<Listener> listeners;
        synchronized (this) {
            Channel channel = channels.get(name);
            listeners = channel == null ? List.of() : new ArrayList<>(channel.listeners);
        }
        listeners.forEach(listener -> listener.wake.run());
    }

    private synchronized void leave(Listener listener) {
        Channel channel = channels.get(listener.channel);
        if (channel != null && channel.listeners.remove(listener) && channel.listeners.isEmpty()) {
            channels.remove(listener.channel);
            unsubscribe(listener.channel);
        }
    }

    private void unsubscribe(String name) {
        if (listenedTo != null) {
            listenedTo.async().unsubscribe(name);
        }
    }

    synchronized int size() {
        return channels.size();
    }

    private final class Listener implements TryLockStore.Subscription {

        private final String channel;
        private final Runnable wake;

        Listener(String channel, Runnable wake) {
            this.channel = channel;
            this.wake = wake;
        }

        /** Any answer will do: without one, {@link SilenceHandler} ends the connection. */
        @Override
        public void probe() {
            connection.connect().thenAccept(connected -> connected.async().ping());
        }

        @Override
        public void close() {
            leave(this);
        }
    }
}
