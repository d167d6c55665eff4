package io.distlock.etcd;

import io.distlock.Release;
import io.distlock.support.Reaper;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.lease.LeaseTimeToLiveResponse;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares what hangs on a session at the server with what should, with one call for all of its keys. Removes places that
 * nobody knows of, whatever has made them. Finds locks whose key was deleted by somebody else. Thread-safe.
 */
final class SessionAudit {

    private static final Logger log = LoggerFactory.getLogger(SessionAudit.class);

    private final EtcdCalls calls;
    private final QueueCalls queue;
    private final Ledger ledger;
    private final Reaper reaper;
    private final EtcdKeys keys;

    SessionAudit(EtcdCalls calls, QueueCalls queue, Ledger ledger, Reaper reaper, EtcdKeys keys) {
        this.calls = calls;
        this.queue = queue;
        this.ledger = ledger;
        this.reaper = reaper;
        this.keys = keys;
    }

    /** To be called whenever a session was extended; costs nothing if there is nothing to find. Ends when all is seen. */
    CompletableFuture<?> look(Session session) {
        List<Holding> expected = ledger.heldOn(session);
        if (expected.isEmpty() && !session.isSuspect()) {
            return CompletableFuture.completedFuture(null);
        }
        return calls.timeToLive(
                        session.id(), LeaseOption.builder().withAttachedKeys().build())
                .thenCompose(answer -> compare(session, ours(answer), expected));
    }

    /** Without the namespace, which the driver does not take away here. Keys of others are none of ours to judge. */
    private Set<ByteSequence> ours(LeaseTimeToLiveResponse answer) {
        Set<ByteSequence> ours = new HashSet<>();
        answer.getKeys().forEach(each -> keys.withoutNamespace(each).ifPresent(ours::add));
        return ours;
    }

    private CompletableFuture<?> compare(Session session, Set<ByteSequence> there, List<Holding> expected) {
        Set<ByteSequence> strangers = new HashSet<>(there);
        strangers.removeIf(key -> ledger.knows(key) || keys.isWithdrawal(key));
        // One that is just being given back is a stranger, too, but not the next time.
        session.strangers(strangers).forEach(key -> remove(session, key));
        return CompletableFuture.allOf(expected.stream()
                .filter(holding -> !there.contains(holding.lease().place().key()))
                .map(this::makeSure)
                .toArray(CompletableFuture<?>[]::new));
    }

    private void remove(Session session, ByteSequence key) {
        log.warn("Removing {}, which nobody waits for any more", key.toString(StandardCharsets.UTF_8));
        reaper.reap(
                "A place left behind",
                Duration.ofSeconds(session.seconds()),
                () -> queue.delete(key).exceptionally(failure -> Release.UNKNOWN));
    }

    /** The list may come from a server that has not heard of the lock yet. */
    private CompletableFuture<?> makeSure(Holding holding) {
        GetOption only = GetOption.builder().withKeysOnly(true).build();
        return calls.get(holding.lease().place().key(), only).thenAccept(found -> {
            if (found.getKvs().isEmpty()) {
                holding.gone();
            }
        });
    }
}
