package io.distlock.autoconfigure;

import io.distlock.LockOptions;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** The settings of all locks that providers and fences share with the starter, with their defaults. */
public final class CommonLockProperties {

    /** The default of {@code distributed-lock.key-prefix}. */
    public static final String KEY_PREFIX = "lock";

    private CommonLockProperties() {}

    /** Prefix of each key in the store. */
    public static String keyPrefix(Environment environment) {
        return environment.getProperty("distributed-lock.key-prefix", KEY_PREFIX);
    }

    /** How long a lock may be held unless its request says otherwise. */
    public static Duration maxHoldTime(Environment environment) {
        return Binder.get(environment)
                .bind("distributed-lock.max-hold-time", Duration.class)
                .orElseGet(LockOptions.defaults()::maxHoldTime);
    }
}
