package io.distlock.spring.endpoint;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What the endpoint "locks" shows and allows.
 *
 * @param showValues When to show the keys of locks. Names are shown always.
 * @param roles Roles, one of which a user needs to see keys where they are shown when authorized. Any user, if empty.
 * @param forceRelease Whether a lock may be taken away from its holder.
 */
@ConfigurationProperties("management.endpoint.locks")
record LocksEndpointProperties(
        @DefaultValue("never") Show showValues,
        @DefaultValue Set<String> roles,
        @DefaultValue("false") boolean forceRelease) {}
