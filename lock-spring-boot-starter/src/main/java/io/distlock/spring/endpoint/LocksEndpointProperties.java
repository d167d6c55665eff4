package io.distlock.spring.endpoint;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What the endpoint "locks" shows and allows.
 *
 * @param showValues When to show the keys of locks. Names are always shown.
 * @param roles Roles that may see keys when authorized; a user needs one of them. If empty, any authenticated user.
 * @param forceRelease Whether a lock may be released by force.
 */
@ConfigurationProperties("management.endpoint.locks")
record LocksEndpointProperties(
        @DefaultValue("never") Show showValues,
        @DefaultValue Set<String> roles,
        @DefaultValue("false") boolean forceRelease) {}
