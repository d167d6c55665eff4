package io.distlock.spring.endpoint;

import io.distlock.FencingToken;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockRequest;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.spring.LockClients;
import io.distlock.spring.UnknownLockProviderException;
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
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.util.MimeType;

/**
 * Shows the locks that this instance holds and waits for, and its latest losses. Inspects a lock at the store. Releases a
 * lock by force, if that is allowed, and always with an audit event. Answers each failure with a problem (RFC 9457).
 * Thread-safe.
 */
@WebEndpoint(id = "locks")
class LocksEndpoint {

    private static final Logger log = LoggerFactory.getLogger(LocksEndpoint.class);
    private static final MimeType PROBLEM_JSON = new MimeType("application", "problem+json");

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

    /** The locks of this instance; or, given a key (which may be empty) with its name, one lock, or its permits. */
    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> locks(
            SecurityContext viewer,
            @Nullable String name,
            @Nullable String key,
            @Nullable Integer permits,
            @Nullable String provider) {
        boolean shown = properties.showValues().isShown(viewer, properties.roles());
        return answer(() -> key == null
                ? report.locks(name, provider, shown)
                : report.inspect(client(provider), lock(name, key), permit(permits), shown));
    }

    /** Releases a lock, or one of its permits, by force if its holder has this token. */
    @DeleteOperation
    public WebEndpointResponse<OperationResponseBody> forceRelease(
            SecurityContext viewer,
            @Nullable String name,
            @Nullable String key,
            @Nullable Integer permit,
            @Nullable String provider,
            @Nullable Long token) {
        return answer(() -> {
            if (!properties.forceRelease()) {
                throw new Refusal(403, "force-release is off: management.endpoint.locks.force-release=true allows it");
            }
            if (token == null || token < 1) {
                throw new Refusal(400, "give the holder's token, which an inspection of the lock shows");
            }
            Release release =
                    takeAway(client(provider), lock(name, key).permit(permit(permit)), token, viewer.getPrincipal());
            if (release != Release.RELEASED) {
                throw new Refusal(409, "nobody holds the lock with token " + token + ": inspect it again");
            }
            return new LocksDescriptor.ForcedRelease(release);
        });
    }

    private Release takeAway(LockClient client, LockKey key, long token, @Nullable Principal user) {
        String who = user == null ? "an unknown user" : user.getName();
        log.warn("{} forces the release of lock '{}' (token {}, provider {})", who, key, token, client.provider());
        String text = report.text(key, properties.showValues().isShown(false));
        // Unknown if the store does not answer.
        String outcome = "UNKNOWN";
        try {
            Release release = client.forceRelease(key, new FencingToken(token));
            outcome = release.name();
            return release;
        } finally {
            log.warn("Forced release of lock '{}' (token {}): {}", key, token, outcome);
            publisher.publishEvent(new AuditApplicationEvent(
                    who,
                    "LOCK_FORCE_RELEASE",
                    Map.of("provider", client.provider(), "lock", text, "token", token, "release", outcome)));
        }
    }

    private LockClient client(@Nullable String provider) {
        return provider == null ? clients.primary() : clients.get(provider);
    }

    private static LockKey lock(@Nullable String name, @Nullable String key) {
        if (name == null) {
            throw new Refusal(400, "give the name and key of a lock");
        }
        try {
            return key == null || key.isEmpty() ? LockKey.of(name) : LockKey.of(name, key);
        } catch (IllegalArgumentException broken) {
            throw new Refusal(400, String.valueOf(broken.getMessage()));
        }
    }

    private static int permit(@Nullable Integer number) {
        int permit = number == null ? 1 : number;
        if (permit < 1 || permit > LockRequest.MAX_PERMITS) {
            throw new Refusal(400, "permits are numbered from 1 to " + LockRequest.MAX_PERMITS);
        }
        return permit;
    }

    private static WebEndpointResponse<OperationResponseBody> answer(Supplier<OperationResponseBody> answer) {
        try {
            return new WebEndpointResponse<>(answer.get());
        } catch (Refusal refusal) {
            return problem(refusal.status, String.valueOf(refusal.getMessage()));
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

    /** Why there is no answer; its type is {@code about:blank}. */
    record Problem(int status, String detail) implements OperationResponseBody {}

    /** Why a request is not answered. */
    private static final class Refusal extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final int status;

        Refusal(int status, String reason) {
            super(reason);
            this.status = status;
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
