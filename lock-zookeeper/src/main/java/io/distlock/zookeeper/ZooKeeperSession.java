package io.distlock.zookeeper;

import io.distlock.spi.Moment;
import io.distlock.spi.Renewal;
import io.distlock.support.DueSet;
import io.distlock.support.LockRuntime;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * A session that carries locks of one time to live. {@link ZooKeeperSessions} confirms it while it is used, and ends it.
 * Thread-safe.
 */
final class ZooKeeperSession implements Watcher, DueSet.Due {

    private final LockRuntime runtime;
    private final ZooKeeperLockOptions options;
    private final Duration timeToLive;
    private final Moment created;
    private final Consumer<ZooKeeperSession> onLoss;
    private final ZooKeeper client;
    private final SessionCalls calls;
    private final CompletableFuture<ZooKeeperSession> established = new CompletableFuture<>();

    /** Acquisitions in progress and held locks. */
    private final AtomicInteger users = new AtomicInteger();

    private final AtomicInteger locks = new AtomicInteger();

    private volatile @Nullable SessionValidity validity;
    private volatile boolean lost;
    private volatile long lastUsedNanos;
    private volatile long dueNanos;
    private @Nullable CompletableFuture<Renewal> confirming;

    /**
     * Starts to connect.
     *
     * @param timeToLive the time to live of the locks that it carries
     * @param onLoss called once, when it is found lost; not if it is ended
     */
    ZooKeeperSession(
            LockRuntime runtime,
            ZooKeeperLockOptions options,
            ZooKeeperClients clients,
            Duration timeToLive,
            Consumer<ZooKeeperSession> onLoss)
            throws Exception {
        this.runtime = runtime;
        this.options = options;
        this.timeToLive = timeToLive;
        this.onLoss = onLoss;
        this.created = runtime.ticker().now();
        this.lastUsedNanos = created.nanos();
        this.dueNanos = created.nanos();
        CompletableFuture<ZooKeeper> made = new CompletableFuture<>();
        this.client = clients.connect(event -> made.thenAccept(own -> process(event)), options.session(timeToLive));
        this.calls = new SessionCalls(client, clients::acl, runtime.timeouts(), options.callTimeout());
        // The driver's thread may be ahead of this one.
        made.complete(client);
    }

    /** Itself, once the server has granted it. */
    CompletableFuture<ZooKeeperSession> established() {
        return established;
    }

    Duration timeToLive() {
        return timeToLive;
    }

    SessionCalls calls() {
        return calls;
    }

    @Override
    public void process(WatchedEvent event) {
        switch (event.getState()) {
            case SyncConnected -> connected();
            case Expired -> lost();
            case AuthFailed -> {
                established.completeExceptionally(ZooKeeperCallException.of(Code.AUTHFAILED.intValue(), ""));
                lost();
            }
            default -> {
                // Disconnected: its validity decides. Closed: by us.
            }
        }
    }

    private void connected() {
        if (validity != null) {
            return;
        }
        long wanted = options.session(timeToLive).toMillis();
        int granted = client.getSessionTimeout();
        Duration took = Duration.ofNanos(created.elapsedNanos(runtime.ticker()));
        if (granted < wanted) {
            established.completeExceptionally(ZooKeeperCallException.tooShort(wanted, granted));
        } else if (took.compareTo(options.betweenConfirmations(timeToLive)) > 0) {
            // Nobody knows when the leader granted it: perhaps that long ago.
            established.completeExceptionally(ZooKeeperCallException.connectedLate());
        } else {
            validity = new SessionValidity(runtime.ticker(), options.tickTime(), created, Duration.ofMillis(granted));
            established.complete(this);
        }
    }

    /** Expired, or not confirmed for its whole time, which is final once it is seen. */
    boolean isLost() {
        SessionValidity known = validity;
        if (known != null && known.isOver()) {
            lost();
        }
        return lost;
    }

    private void lost() {
        synchronized (this) {
            if (lost) {
                return;
            }
            lost = true;
        }
        established.completeExceptionally(ZooKeeperCallException.of(Code.SESSIONEXPIRED.intValue(), ""));
        onLoss.accept(this);
        calls.wakeAll();
    }

    ZooKeeperSession use() {
        users.incrementAndGet();
        lastUsedNanos = runtime.ticker().nanos();
        return this;
    }

    void leave() {
        lastUsedNanos = runtime.ticker().nanos();
        users.decrementAndGet();
    }

    /** One of its users now holds a lock. */
    void hold() {
        locks.incrementAndGet();
    }

    void letGo() {
        locks.decrementAndGet();
    }

    boolean isHeld() {
        return locks.get() > 0;
    }

    boolean isIdle() {
        long unused = runtime.ticker().nanos() - lastUsedNanos;
        // While it connects, those who wait for it are not counted.
        return validity != null
                && users.get() == 0
                && unused >= options.session(timeToLive).toNanos();
    }

    /** When a lock's time may start. */
    Moment validSince() {
        SessionValidity known = validity;
        return known == null ? created : known.validSince(timeToLive);
    }

    /** Confirmed so lately that another confirmation would give its locks no more time. */
    boolean isFresh() {
        SessionValidity known = validity;
        return !isLost() && known != null && known.outlasts(timeToLive);
    }

    /** How much of a lock's time would be over already. */
    Duration age() {
        return Duration.ofNanos(validSince().elapsedNanos(runtime.ticker()));
    }

    /** For diagnostics, with its id as the servers' logs have it. */
    String describe() {
        SessionValidity known = validity;
        return "0x" + Long.toHexString(client.getSessionId()) + ": " + client.getSessionTimeout() + " ms, "
                + client.getState().name().toLowerCase(Locale.ROOT) + ", "
                + (known == null
                        ? "never confirmed"
                        : "confirmed " + known.confirmedAgo().toMillis() + " ms ago");
    }

    /** When to confirm it, or to end it. */
    @Override
    public long dueNanos() {
        return dueNanos;
    }

    /** Asks the leader; concurrent callers share one call. {@link Renewal#NOT_OWNER} means that it is lost. */
    CompletableFuture<Renewal> confirm() {
        CompletableFuture<Renewal> result = new CompletableFuture<>();
        Moment sent = runtime.ticker().now();
        long interval = options.betweenConfirmations(timeToLive).toNanos();
        // Again soon, unless it is answered; also if the one before is still under way, or it would be due all the
        // time.
        dueNanos = sent.nanos() + interval / 3;
        synchronized (this) {
            if (confirming != null) {
                return confirming;
            }
            confirming = result;
        }
        CompletableFuture<Renewal> asked = isLost() || validity == null
                ? CompletableFuture.completedFuture(lost ? Renewal.NOT_OWNER : Renewal.UNKNOWN)
                : calls.sync().handle((answer, failure) -> confirmed(sent, failure));
        asked.thenAccept(renewal -> {
            synchronized (this) {
                confirming = null;
            }
            if (renewal == Renewal.RENEWED) {
                dueNanos = sent.nanos() + interval;
            }
            result.complete(renewal);
        });
        return result;
    }

    private Renewal confirmed(Moment sent, @Nullable Throwable failure) {
        SessionValidity known = validity;
        if (failure != null) {
            ZooKeeperCallException said = ZooKeeperCallException.of(failure);
            if (known != null) {
                known.unanswered();
            }
            if (said.isExpired()) {
                lost();
            } else if (said.isSilence()) {
                reconnect();
            }
        } else if (known != null) {
            known.answered(sent);
        }
        return isLost() ? Renewal.NOT_OWNER : failure == null ? Renewal.RENEWED : Renewal.UNKNOWN;
    }

    /** To another server, if there is one: the driver would wait for a silent one for two thirds of the session. */
    private void reconnect() {
        if (client.getState().isConnected()) {
            try {
                client.getTestable().closeSocket();
            } catch (IOException closed) {
                // As wanted.
            }
        }
    }

    /** Ends it at the server, with all its nodes. */
    Thread end() {
        return ZooKeeperClients.close(client);
    }

    /** Leaves it and its nodes to expire at the server. */
    void abandon() {
        // The driver has no other way to stop without a word to the server.
        client.getTestable().injectSessionExpiration();
    }
}
