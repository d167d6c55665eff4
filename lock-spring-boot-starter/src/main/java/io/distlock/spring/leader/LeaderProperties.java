package io.distlock.spring.leader;

import io.distlock.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The roles for which instances stand.
 *
 * @param roles Roles by their names.
 */
@ConfigurationProperties("distributed-lock.leader")
record LeaderProperties(@DefaultValue Map<String, Role> roles) {

    static final String PREFIX = "distributed-lock.leader.roles";

    private static final Duration LONGEST_REVOKE_TIMEOUT = Duration.ofHours(1);

    LeaderProperties {
        roles.forEach((name, role) -> {
            Duration lease = role.leaseTime;
            if (lease != null) {
                check(name, "lease-time", lease, LockOptions.MIN_RENEWED_LEASE, LockOptions.MAX_LEASE);
            }
            check(name, "revoke-timeout", role.revokeTimeout, Duration.ZERO, LONGEST_REVOKE_TIMEOUT);
        });
        roles = Map.copyOf(roles);
    }

    private static void check(String role, String property, Duration value, Duration least, Duration most) {
        try {
            LockOptions.requireBetween(property, value, least, most);
        } catch (IllegalArgumentException broken) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + "." + role + "." + property, value, String.valueOf(broken.getMessage()));
        }
    }

    /**
     * One role.
     *
     * @param provider Provider of the lock that the leader holds. By default that of all locks.
     * @param leaseTime How long the role stays without a leader after its leader has died. By default that of all locks.
     * @param revokeTimeout How long an instance that resigns or stops waits for running calls and listeners before another
     *     can lead.
     * @param autoStart Whether this instance stands for election once the application is ready.
     * @param lifecycleBeans Names of Lifecycle beans that are started, in this order, when this instance is elected, and
     *     stopped when it is revoked.
     */
    record Role(
            @Nullable String provider,
            @Nullable Duration leaseTime,
            @DefaultValue("10s") Duration revokeTimeout,
            @DefaultValue("true") boolean autoStart,
            @DefaultValue List<String> lifecycleBeans) {}
}
