package io.distlock.redis.connection;

import io.distlock.support.TryLockStore;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Listens to channels on one connection for all waiters: the first waiter of a channel subscribes. The subscription outlives the
 * last waiter for a while, since a lock that was waited for once usually is again: a few idle channels are kept, and one is left
 * when its lock is released a few times and nobody here waits. After a reconnection the driver subscribes again, and all waiters are
 * woken: a message may have been missed.
 *
 * <p>Commands are sent under the monitor (which does not block). Still, the driver's own thread overtakes others, whose
 * commands it queues: see {@code repeatIfOvertaken}. Listeners are called outside the monitor.
 */
public final class ReleaseSubscriptions {

    /** Channels that are listened to though nobody waits. */
    private static final int MOST_IDLE = 16;

    /** So many messages in a row for nobody end a subscription. */
    private static final int UNHEARD = 3;

    private final RedisConnection<StatefulRedisPubSubConnection<String, String>> connection;

    /** Written under the monitor. */
    private final Map<String, Channel> channels = new ConcurrentHashMap<>();

    /** The longest without a waiter comes first. */
    private final Set<String> idle = new LinkedHashSet<>();

    private @Nullable StatefulRedisPubSubConnection<String, String> listenedTo;

    public ReleaseSubscriptions(RedisConnection<StatefulRedisPubSubConnection<String, String>> connection) {
        this.connection = connection;
    }

    /** Guarded by the monitor. */
    private static final class Channel {

        final CompletableFuture<?> confirmed;
        final Set<Listener> listeners = new LinkedHashSet<>();
        boolean announced;
        int unheard;

        Channel(CompletableFuture<?> confirmed) {
            this.confirmed = confirmed;
        }

        boolean isStanding() {
            return confirmed.isDone() && !confirmed.isCompletedExceptionally();
        }
    }

    /**
     * As {@link TryLockStore#join}: a look at a map unless the channel is listened to.
     *
     * @param named the channel's name, made only if there are any
     */
    public Optional<TryLockStore.Subscription> join(Supplier<String> named, Runnable wake) {
        if (!listensTo(named)) {
            return Optional.empty();
        }
        String name = named.get();
        synchronized (this) {
            Channel channel = channels.get(name);
            if (channel == null || !channel.isStanding()) {
                return Optional.empty();
            }
            Listener listener = new Listener(name, wake);
            add(channel, listener);
            return Optional.of(listener);
        }
    }

    /** Whether a channel is listened to, or will be once the server has confirmed it. */
    public boolean listensTo(Supplier<String> named) {
        return !channels.isEmpty() && channels.containsKey(named.get());
    }

    private void add(Channel channel, Listener listener) {
        idle.remove(listener.channel);
        channel.listeners.add(listener);
    }

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
                    name -> new Channel(connected.async().subscribe(name).toCompletableFuture()));
            add(channel, listener);
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
        if (channel != null && channel.announced && listenedTo != null) {
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
        boolean again = channel.announced;
        channel.announced = true;
        if (again && channel.listeners.isEmpty()) {
            end(name);
        }
        return again;
    }

    private void wake(String name) {
        List<Listener> listeners;
        synchronized (this) {
            Channel channel = channels.get(name);
            listeners = channel == null ? List.of() : new ArrayList<>(channel.listeners);
            if (channel != null) {
                channel.unheard = listeners.isEmpty() ? channel.unheard + 1 : 0;
                if (channel.unheard >= UNHEARD) {
                    end(name);
                }
            }
        }
        listeners.forEach(listener -> listener.wake.run());
    }

    private synchronized void leave(Listener listener) {
        Channel channel = channels.get(listener.channel);
        if (channel == null || !channel.listeners.remove(listener) || !channel.listeners.isEmpty()) {
            return;
        }
        idle.add(listener.channel);
        if (!channel.isStanding()) {
            end(listener.channel);
        } else if (idle.size() > MOST_IDLE) {
            end(idle.iterator().next());
        }
    }

    private void end(String name) {
        idle.remove(name);
        channels.remove(name);
        unsubscribe(name);
    }

    private void unsubscribe(String name) {
        if (listenedTo != null) {
            listenedTo.async().unsubscribe(name);
        }
    }

    /** How many messages in a row nobody has waited for. */
    synchronized int unheard(String name) {
        Channel channel = channels.get(name);
        return channel == null ? 0 : channel.unheard;
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
