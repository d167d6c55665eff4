package io.distlock.spring.endpoint;

import io.distlock.FencingToken;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.spring.LockClients;
import io.distlock.spring.UnknownLockProviderException;
import io.distlock.spring.endpoint.LocksReport.Place;
import io.distlock.spring.endpoint.LocksReport.RecentLosses;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.util.MimeType;

/**
 * Shows the locks that this instance holds and waits for, and its latest losses. Inspects a lock at the store. Releases a
 * lock by force, if that is allowed, and always with an audit event. Thread-safe.
 */
@Endpoint(id = "locks")
class LocksEndpoint {

    private static final Logger log = LoggerFactory.getLogger(LocksEndpoint.class);

    private static final int DEFAULT_LIMIT = 50;
    private static final int MAX_LIMIT = 500;

    private final LockClients clients;
    private final LocksReport report;
    private final ApplicationEventPublisher publisher;
    private final Properties properties;

    LocksEndpoint(
            LockClients clients,
            RecentLosses losses,
            ApplicationEventPublisher publisher,
            Properties properties,
            List<SanitizingFunction> sanitizing) {
        this.clients = clients;
        this.report = new LocksReport(clients, losses, new Sanitizer(sanitizing));
        this.publisher = publisher;
        this.properties = properties;
    }

    /** A page of the locks of this instance; or, given an id, or a key (which may be empty) with its name, one lock. */
    @ReadOperation
    public OperationResponseBody locks(
            @Nullable String name,
            @Nullable String key,
            @Nullable String provider,
            @Nullable String id,
            @Nullable Integer offset,
            @Nullable Integer limit) {
        // Over JMX nobody is known by name.
        boolean shown = properties.showValues().isShown(true);
        return read(new Query(name, key, provider, id), offset, limit, shown);
    }

    OperationResponseBody read(Query query, @Nullable Integer offset, @Nullable Integer limit, boolean shown) {
        if (query.id() != null || query.key() != null) {
            return report.inspect(place(query), shown, query.id() != null);
        }
        int skipped = offset == null ? 0 : offset;
        int most = limit == null ? DEFAULT_LIMIT : limit;
        if (skipped < 0) {
            throw new Refusal(400, "offset " + skipped + " must not be negative");
        } else if (most < 1 || most > MAX_LIMIT) {
            throw new Refusal(400, "limit must be 1 to " + MAX_LIMIT + ", not " + most);
        }
        return report.locks(query.name(), query.provider(), skipped, most, shown);
    }

    /** Releases a lock by force if its holder has this token. */
    @DeleteOperation
    public LocksDescriptor.ForcedRelease forceRelease(
            @Nullable String name,
            @Nullable String key,
            @Nullable String provider,
            @Nullable String id,
            @Nullable Long token) {
        return forceRelease(new Query(name, key, provider, id), token, null);
    }

    LocksDescriptor.ForcedRelease forceRelease(Query query, @Nullable Long token, @Nullable Principal who) {
        if (!properties.forceRelease()) {
            throw new Refusal(403, "force-release is off: management.endpoint.locks.force-release=true allows it");
        }
        if (token == null || token < 1) {
            throw new Refusal(400, "give the holder's token, which an inspection of the lock shows");
        }
        String user = who == null ? "an unknown user" : who.getName();
        return new LocksDescriptor.ForcedRelease(takeAway(place(query), token, user));
    }

    private Release takeAway(Place place, long token, String who) {
        LockKey key = place.key();
        log.warn("{} forces the release of lock '{}' (token {}, provider {})", who, key, token, place.provider());
        String text = report.text(place, properties.showValues().isShown(false));
        // Unknown if the store does not answer.
        String outcome = "UNKNOWN";
        try {
            Release release = clients.get(place.provider()).forceRelease(key, new FencingToken(token));
            outcome = release.name();
            return release;
        } finally {
            log.warn("Forced release of lock '{}' (token {}): {}", key, token, outcome);
            publisher.publishEvent(new AuditApplicationEvent(
                    who,
                    "LOCK_FORCE_RELEASE",
                    Map.of("provider", place.provider(), "lock", text, "token", token, "release", outcome)));
        }
    }

    private Place place(Query query) {
        if (query.id() != null) {
            return report.place(query.id())
                    .orElseThrow(() -> new Refusal(
                            404,
                            "this instance neither holds nor waits for a lock with this id: an id is valid in one"
                                    + " instance, until it restarts. Use name and key"));
        } else if (query.name() == null) {
            throw new Refusal(400, "give the name and key of a lock, or an id from the list");
        }
        String provider = query.provider();
        LockClient client = provider == null ? clients.primary() : clients.get(provider);
        try {
            return new Place(client.provider(), query.lock(query.name()));
        } catch (IllegalArgumentException broken) {
            throw new Refusal(400, String.valueOf(broken.getMessage()));
        }
    }

    boolean shows(SecurityContext viewer) {
        return properties.showValues().isShown(viewer, properties.roles());
    }

    /** The endpoint over HTTP: knows the caller and answers each failure with a problem (RFC 9457). Thread-safe. */
    @EndpointWebExtension(endpoint = LocksEndpoint.class)
    record WebExtension(LocksEndpoint endpoint) {

        private static final MimeType PROBLEM_JSON = new MimeType("application", "problem+json");

        /** Why there is no answer; its type is {@code about:blank}. */
        record Problem(int status, String detail) implements OperationResponseBody {}

        @ReadOperation
        public WebEndpointResponse<OperationResponseBody> locks(
                SecurityContext viewer,
                @Nullable String name,
                @Nullable String key,
                @Nullable String provider,
                @Nullable String id,
                @Nullable Integer offset,
                @Nullable Integer limit) {
            return answer(() -> new WebEndpointResponse<>(
                    endpoint.read(new Query(name, key, provider, id), offset, limit, endpoint.shows(viewer))));
        }

        @DeleteOperation
        public WebEndpointResponse<OperationResponseBody> forceRelease(
                SecurityContext viewer,
                @Nullable String name,
                @Nullable String key,
                @Nullable String provider,
                @Nullable String id,
                @Nullable Long token) {
            return answer(() -> {
                LocksDescriptor.ForcedRelease released =
                        endpoint.forceRelease(new Query(name, key, provider, id), token, viewer.getPrincipal());
                return released.release() == Release.RELEASED
                        ? new WebEndpointResponse<>(released)
                        : problem(409, "nobody holds the lock with token " + token + ": inspect it again");
            });
        }

        private static WebEndpointResponse<OperationResponseBody> answer(
                Supplier<WebEndpointResponse<OperationResponseBody>> answer) {
            try {
                return answer.get();
            } catch (Refusal refusal) {
                return problem(refusal.status(), String.valueOf(refusal.getReason()));
            } catch (UnknownLockProviderException unknown) {
                return problem(404, String.valueOf(unknown.getMessage()));
            } catch (UnsupportedOperationException cannot) {
                return problem(501, "the provider of this lock cannot do that: " + cannot.getMessage());
            } catch (LockUnavailableException silent) {
                return problem(503, "the store did not answer");
            }
        }

        private static WebEndpointResponse<OperationResponseBody> problem(int status, String why) {
            return new WebEndpointResponse<>(new Problem(status, why), status, PROBLEM_JSON);
        }
    }

    /** The lock that a request names; an empty key is the name alone. */
    record Query(
            @Nullable String name,
            @Nullable String key,
            @Nullable String provider,
            @Nullable String id) {

        private LockKey lock(String its) {
            return key == null || key.isEmpty() ? LockKey.of(its) : LockKey.of(its, key);
        }
    }

    /** Why a request is not answered: over JMX as the exception, over HTTP as a problem with this status. */
    static final class Refusal extends InvalidEndpointRequestException {

        private static final long serialVersionUID = 1L;

        private final int status;

        Refusal(int status, String reason) {
            super(reason, reason);
            this.status = status;
        }

        int status() {
            return status;
        }
    }

    /**
     * What the endpoint "locks" shows and allows.
     *
     * @param showValues When to show the keys of locks. Names are always shown.
     * @param roles Roles that may see keys when authorized; a user needs one of them. If empty, any authenticated user.
     * @param forceRelease Whether a lock may be released by force.
     */
    @ConfigurationProperties("management.endpoint.locks")
    record Properties(
            @DefaultValue("never") Show showValues,
            @DefaultValue Set<String> roles,
            @DefaultValue("false") boolean forceRelease) {}
}
