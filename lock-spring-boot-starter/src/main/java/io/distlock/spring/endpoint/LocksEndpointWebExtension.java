package io.distlock.spring.endpoint;

import io.distlock.LockUnavailableException;
import io.distlock.Release;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** The endpoint over HTTP: knows the caller and maps each failure to a status. Thread-safe. */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
class LocksEndpointWebExtension {

    private static final int FORBIDDEN = 403;
    private static final int CONFLICT = 409;

    private final LocksEndpoint endpoint;

    /**
     * Why there is no answer.
     *
     * @param error the reason, in one clause
     */
    public record Problem(String error) implements OperationResponseBody {}

    LocksEndpointWebExtension(LocksEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    @ReadOperation
    public LocksDescriptor locks(
            SecurityContext viewer,
            @Nullable String name,
            @Nullable String provider,
            @Nullable Integer offset,
            @Nullable Integer limit) {
        return endpoint.locks(LocksReport.Query.of(name, provider, offset, limit), endpoint.shows(viewer));
    }

    /** 404 if nobody holds it, 503 if the store does not answer. */
    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> lock(
            SecurityContext viewer, @Selector String provider, @Selector String lock) {
        return unlessSilent(() -> endpoint.inspect(provider, lock, endpoint.shows(viewer))
                .map(found -> new WebEndpointResponse<OperationResponseBody>(found))
                .orElseGet(LocksEndpointWebExtension::notFound));
    }

    /**
     * 403 unless allowed, 404 for an unknown provider, 409 if no holder has this token, 503 if the store is
     * silent.
     */
    @DeleteOperation
    public WebEndpointResponse<OperationResponseBody> forceRelease(
            SecurityContext viewer, @Selector String provider, @Selector String lock, long token) {
        if (!endpoint.allowsForceRelease()) {
            return problem(FORBIDDEN, "force-release is off: see management.endpoint.locks.force-release");
        }
        if (!endpoint.knows(provider)) {
            return notFound();
        }
        return unlessSilent(() -> {
            LocksDescriptor.ForcedRelease released =
                    endpoint.forceRelease(provider, lock, token, viewer.getPrincipal());
            boolean taken = released.release() == Release.RELEASED;
            return new WebEndpointResponse<>(released, taken ? WebEndpointResponse.STATUS_OK : CONFLICT);
        });
    }

    private static WebEndpointResponse<OperationResponseBody> unlessSilent(
            Supplier<WebEndpointResponse<OperationResponseBody>> answer) {
        try {
            return answer.get();
        } catch (LockUnavailableException silent) {
            return problem(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, "the store did not answer");
        }
    }

    private static WebEndpointResponse<OperationResponseBody> problem(int status, String why) {
        return new WebEndpointResponse<>(new Problem(why), status);
    }

    private static WebEndpointResponse<OperationResponseBody> notFound() {
        return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
    }
}
