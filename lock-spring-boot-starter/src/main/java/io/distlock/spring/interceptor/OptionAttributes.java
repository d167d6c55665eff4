package io.distlock.spring.interceptor;

import io.distlock.LockClient;
import io.distlock.LockOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;

/** The annotation's times on top of the client's options. */
final class OptionAttributes {

    private static final String CURE = "Change the annotation, or the properties distributed-lock.*";

    /** Times that go with any single other time, so that each is judged by itself first. */
    private static final LockOptions LENIENT =
            LockOptions.defaults().withRenew(false).withMaxHoldTime(LockOptions.MAX_HOLD);

    private final TextAttributes texts;
    private final Problems problems;

    private OptionAttributes(TextAttributes texts, Problems problems) {
        this.texts = texts;
        this.problems = problems;
    }

    /** The options; absent if something is wrong with them, which has been noted then. */
    static Optional<LockOptions> read(
            TextAttributes texts, boolean renew, Optional<LockClient> client, Problems problems) {
        LockOptions base = client.map(LockClient::options).orElseGet(LockOptions::defaults);
        int before = problems.found().size();
        OptionAttributes attributes = new OptionAttributes(texts, problems);
        Duration wait = attributes.time("waitTime", base.waitTime(), LockOptions::withWaitTime);
        Duration lease = attributes.time("leaseTime", base.leaseTime(), LockOptions::withLeaseTime);
        Duration maxHold = attributes.time("maxHoldTime", base.maxHoldTime(), LockOptions::withMaxHoldTime);
        Duration minHold = attributes.time("minHoldTime", base.minHoldTime(), LockOptions::withMinHoldTime);
        Duration delay = attributes.time("lockDelay", base.lockDelay(), LockOptions::withLockDelay);
        if (problems.found().size() > before) {
            return Optional.empty();
        }
        return problems.trying(
                        "leaseTime, maxHoldTime, renew",
                        CURE,
                        () -> new LockOptions(wait, lease, renew && base.renew(), maxHold, minHold, delay))
                .flatMap(options ->
                        problems.trying("leaseTime, minHoldTime, lockDelay", CURE, () -> grantable(options, client)));
    }

    /** Refused by the store rather than at each call. */
    private static LockOptions grantable(LockOptions options, Optional<LockClient> client) {
        client.ifPresent(each -> each.validate(options));
        return options;
    }

    private Duration time(
            String attribute, Duration otherwise, BiFunction<LockOptions, Duration, LockOptions> asOnlyOption) {
        Optional<Duration> given = texts.duration(attribute);
        given.ifPresent(time -> problems.trying(attribute, CURE, () -> asOnlyOption.apply(LENIENT, time)));
        return given.orElse(otherwise);
    }
}
