package io.distlock.spring.endpoint;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockStatus;
import io.distlock.Release;
import io.distlock.spi.Ticker;
import io.distlock.spring.LockClients;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Shows the locks that this instance holds and waits for, and its latest losses; inspects one lock at the store; takes
 * a lock away from its holder, if that is allowed, and always with an audit event. Thread-safe.
 */
@Endpoint(id = "locks")
public class LocksEndpoint {

    static final String AUDIT_TYPE = "LOCK_FORCE_RELEASE";

    private static final Logger log = LoggerFactory.getLogger(LocksEndpoint.class);

    private final LockClients clients;
    private final LocksReport report;
    private final ApplicationEventPublisher publisher;
    private final LocksEndpointProperties properties;

    /**
     * @param sanitizing what to hide even if the properties allow showing it
     */
    LocksEndpoint(
            LockClients clients,
            RecentLosses losses,
            Ticker ticker,
            ApplicationEventPublisher publisher,
            LocksEndpointProperties properties,
            List<SanitizingFunction> sanitizing) {
        this.clients = clients;
        this.report = new LocksReport(clients, losses, ticker, new Sanitizer(sanitizing));
        this.publisher = publisher;
        this.properties = properties;
    }

    /** The locks of this instance, up to 500 of each kind at a time. */
    @ReadOperation
    public LocksDescriptor locks(
            @Nullable String name, @Nullable String provider, @Nullable Integer offset, @Nullable Integer limit) {
        return locks(LocksReport.Query.of(name, provider, offset, limit), shows());
    }

    LocksDescriptor locks(LocksReport.Query query, boolean shown) {
        return report.locks(query, shown);
    }

    /** What the store knows about one lock; nothing if nobody holds it. */
    @ReadOperation
    public LocksDescriptor.@Nullable Inspection lock(@Selector String provider, @Selector String lock) {
        return inspect(provider, lock, shows()).orElse(null);
    }

    Optional<LocksDescriptor.Inspection> inspect(String provider, String lock, boolean shown) {
        if (!knows(provider)) {
            return Optional.empty();
        }
        Optional<LockStatus> status = clients.get(provider).inspect(key(lock));
        return status.map(taken -> report.describe(provider, taken, shown));
    }

    /** Takes a lock away from the holder that has this token. */
    @DeleteOperation
    public LocksDescriptor.@Nullable ForcedRelease forceRelease(
            @Selector String provider, @Selector String lock, long token) {
        return knows(provider) ? forceRelease(provider, lock, token, null) : null;
    }

    LocksDescriptor.ForcedRelease forceRelease(String provider, String lock, long token, @Nullable Principal who) {
        if (token < 1) {
            throw new InvalidEndpointRequestException("token " + token + " must be positive", "no token is " + token);
        }
        String name = who == null ? "somebody unknown" : who.getName();
        return new LocksDescriptor.ForcedRelease(takeAway(provider, key(lock), token, name));
    }

    private Release takeAway(String provider, LockKey key, long token, String who) {
        if (!allowsForceRelease()) {
            throw new IllegalStateException(
                    "locks are not taken away here: set management.endpoint.locks.force-release=true to allow it");
        }
        log.warn("{} takes the lock '{}' (token {}) at {} away from its holder", who, key, token, provider);
        // Unknown if the store does not answer.
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

    boolean knows(String provider) {
        return clients.providers().contains(provider);
    }

    boolean allowsForceRelease() {
        return properties.forceRelease();
    }

    boolean shows(SecurityContext viewer) {
        return properties.showValues().isShown(viewer, properties.roles());
    }

    /** For viewers without a security context: over JMX. */
    private boolean shows() {
        return properties.showValues().isShown(true);
    }

    private static LockKey key(String text) {
        try {
            return LockKey.parse(text);
        } catch (IllegalArgumentException broken) {
            throw new InvalidEndpointRequestException(
                    "'" + text + "' names no lock: " + broken.getMessage(), "it names no lock");
        }
    }
}
