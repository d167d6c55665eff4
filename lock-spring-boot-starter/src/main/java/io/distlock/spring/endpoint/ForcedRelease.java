package io.distlock.spring.endpoint;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.Release;
import io.distlock.spring.LockClients;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/** Takes locks away from their holders, where that is allowed, and never unnoticed. Thread-safe. */
final class ForcedRelease {

    static final String AUDIT_TYPE = "LOCK_FORCE_RELEASE";

    private static final Logger log = LoggerFactory.getLogger(ForcedRelease.class);

    private final LockClients clients;
    private final ApplicationEventPublisher publisher;
    private final boolean allowed;

    ForcedRelease(LockClients clients, ApplicationEventPublisher publisher, boolean allowed) {
        this.clients = clients;
        this.publisher = publisher;
        this.allowed = allowed;
    }

    boolean isAllowed() {
        return allowed;
    }

    /**
     * Asks the store.
     *
     * @param who for the record
     * @throws io.distlock.LockUnavailableException if it does not answer; what came of it is not known then
     */
    Release take(String provider, LockKey key, long token, String who) {
        if (!allowed) {
            throw new IllegalStateException(
                    "locks are not taken away here: set management.endpoint.locks.force-release=true to allow it");
        }
        log.warn("{} takes the lock '{}' (token {}) at {} away from its holder", who, key, token, provider);
        String outcome = "UNKNOWN";
        try {
            Release release = clients.get(provider).forceRelease(key, new FencingToken(token));
            outcome = release.name();
            return release;
        } finally {
            log.warn("What came of taking away the lock '{}' (token {}): {}", key, token, outcome);
            publisher.publishEvent(new AuditApplicationEvent(
                    who,
                    AUDIT_TYPE,
                    Map.of("provider", provider, "lock", key.text(), "token", token, "release", outcome)));
        }
    }
}
