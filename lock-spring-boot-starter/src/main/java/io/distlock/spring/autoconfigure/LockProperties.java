package io.distlock.spring.autoconfigure;

import io.distlock.LockOptions;
import io.distlock.autoconfigure.CommonLockProperties;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Settings common to locks of all providers. A value that breaks a rule cannot be bound; the failure states the
 * property, the value, the rule and the fix.
 *
 * @param provider Default provider. Needed only if there are several; "in-memory" locks only within this JVM.
 * @param keyPrefix Prefix of each key in the store. Applications that share a store but must not exclude each other
 *     need different ones.
 * @param leaseTime How long a grant is valid without renewal. If the holder dies, the lock stays taken for this long.
 * @param waitTime How long to wait for a lock. 0 tries once.
 * @param maxHoldTime A lock that is held this long is lost and reported.
 * @param minHoldTime A lock stays taken at least this long, even when it is released earlier.
 * @param lockDelay If the holder vanishes, the lock stays taken for this much longer.
 * @param shutdownTimeout How long a closing context waits for held locks to be released.
 * @param instanceId Distinguishes this instance from the application's others, for diagnostics at the store. By default
 *     host and process id.
 * @param leakThreshold A lock that is held longer is logged once, with the stack trace of the call that took it, which
 *     each call has to record. 0 switches this off.
 * @param metrics Metrics of the locks. Conditions read it; here, a value that is neither true nor false is refused.
 * @param observations Observations of waiting and holding, for traces. As for metrics.
 */
@ConfigurationProperties("distributed-lock")
record LockProperties(
        @Nullable String provider,
        @DefaultValue(CommonLockProperties.KEY_PREFIX) String keyPrefix,
        @DefaultValue("30s") Duration leaseTime,
        @DefaultValue("5s") Duration waitTime,
        @DefaultValue("1h") Duration maxHoldTime,
        @DefaultValue("0s") Duration minHoldTime,
        @DefaultValue("0s") Duration lockDelay,
        @DefaultValue("5s") Duration shutdownTimeout,
        @Nullable String instanceId,
        @DefaultValue("0s") Duration leakThreshold,
        @DefaultValue Metrics metrics,
        @DefaultValue Observations observations) {

    /**
     * @param enabled Whether metrics of locks are recorded.
     */
    record Metrics(@DefaultValue("true") boolean enabled) {}

    /**
     * @param enabled Whether waiting for and holding locks are observed. By default, if there is a Tracer.
     */
    record Observations(@Nullable Boolean enabled) {}

    static final String PREFIX = "distributed-lock.";

    /** Times valid with any single other time, so that each is checked by itself first. */
    private static final LockOptions LENIENT =
            LockOptions.defaults().withRenew(false).withMaxHoldTime(LockOptions.MAX_HOLD);

    private static final Duration MAX_SHUTDOWN_TIMEOUT = Duration.ofHours(1);

    LockProperties {
        check(
                "key-prefix",
                keyPrefix,
                text -> require(
                        !text.isBlank() && text.chars().noneMatch(Character::isISOControl),
                        "give it visible characters, and no control characters"));
        check("lease-time", leaseTime, LENIENT::withLeaseTime);
        check("wait-time", waitTime, LENIENT::withWaitTime);
        check("max-hold-time", maxHoldTime, LENIENT::withMaxHoldTime);
        check("min-hold-time", minHoldTime, LENIENT::withMinHoldTime);
        check("lock-delay", lockDelay, LENIENT::withLockDelay);
        check(
                "leak-threshold",
                leakThreshold,
                time -> require(
                        !time.isNegative(),
                        "leak threshold " + LockOptions.text(time) + " must not be negative: 0 switches it off"));
        check(
                "shutdown-timeout",
                shutdownTimeout,
                time -> LockOptions.requireBetween("shutdown timeout", time, Duration.ZERO, MAX_SHUTDOWN_TIMEOUT));
        // Of two times that contradict each other, the one that the user has set.
        boolean usualLease = leaseTime.equals(LockOptions.defaults().leaseTime());
        check(
                usualLease ? "max-hold-time" : "lease-time",
                usualLease ? maxHoldTime : leaseTime,
                time -> new LockOptions(waitTime, leaseTime, true, maxHoldTime, Duration.ZERO, lockDelay));
        check(
                "min-hold-time",
                minHoldTime,
                time -> new LockOptions(waitTime, leaseTime, true, maxHoldTime, time, lockDelay));
    }

    /** The request defaults. */
    LockOptions options() {
        return new LockOptions(waitTime, leaseTime, true, maxHoldTime, minHoldTime, lockDelay);
    }

    private static <T> void check(String property, T value, Consumer<T> rule) {
        try {
            rule.accept(value);
        } catch (IllegalArgumentException broken) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + property, value, String.valueOf(broken.getMessage()));
        }
    }

    private static void require(boolean kept, String rule) {
        if (!kept) {
            throw new IllegalArgumentException(rule);
        }
    }
}
