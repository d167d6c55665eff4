package io.distlock.spring.endpoint;

import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.spring.UnknownLockProviderException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.util.MimeType;

/** The endpoint over HTTP: knows the caller and answers each failure with a problem (RFC 9457). Thread-safe. */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
record LocksEndpointWebExtension(LocksEndpoint endpoint) {

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
        return answer(() -> new WebEndpointResponse<>(endpoint.read(
                new LocksEndpoint.Query(name, key, provider, id), offset, limit, endpoint.shows(viewer))));
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
            LocksDescriptor.ForcedRelease released = endpoint.forceRelease(
                    new LocksEndpoint.Query(name, key, provider, id), token, viewer.getPrincipal());
            return released.release() == Release.RELEASED
                    ? new WebEndpointResponse<>(released)
                    : problem(409, "nobody holds the lock with token " + token + ": inspect it again");
        });
    }

    private static WebEndpointResponse<OperationResponseBody> answer(
            Supplier<WebEndpointResponse<OperationResponseBody>> answer) {
        try {
            return answer.get();
        } catch (LocksEndpoint.Refusal refusal) {
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
