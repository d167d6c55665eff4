package io.distlock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spring.LockTestContext;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

class LockPropertiesTests {

    @Test
    void defaultsAreThoseOfTheDesign() {
        LockTestContext.inMemory()
                .run(context -> assertThat(context.getBean(LockProperties.class))
                        .isEqualTo(new LockProperties(
                                "in-memory",
                                "lock",
                                Duration.ofSeconds(30),
                                Duration.ofSeconds(5),
                                Duration.ofHours(1),
                                Duration.ZERO,
                                Duration.ZERO,
                                Duration.ofSeconds(5),
                                null,
                                Duration.ZERO,
                                new LockProperties.Metrics(true),
                                new LockProperties.Observations(null))));
    }

    @Test
    void anEmptyTimeIsTheDefault() {
        LockTestContext.inMemory()
                .withPropertyValues("distributed-lock.lease-time=")
                .run(context -> assertThat(context.getBean(LockProperties.class).leaseTime())
                        .isEqualTo(Duration.ofSeconds(30)));
    }

    @ParameterizedTest
    @CsvSource({
        "lease-time, 50ms, out of range",
        "lease-time, 25h, out of range",
        "lease-time, 200ms, too short to renew",
        "wait-time, -1s, out of range",
        "max-hold-time, 0s, out of range",
        "max-hold-time, 20s, shorter than the lease time",
        "min-hold-time, -1ms, out of range",
        "min-hold-time, 25h, out of range",
        "lock-delay, 61s, out of range",
        "shutdown-timeout, -1s, out of range",
        "shutdown-timeout, 2h, out of range",
        "leak-threshold, -1s, must not be negative",
        "key-prefix, '', visible characters",
    })
    void aValueThatBreaksARuleEndsTheStart(String property, String value, String rule) {
        LockTestContext.inMemory()
                .withPropertyValues("distributed-lock." + property + "=" + value)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .satisfies(root -> assertThat(chain(context.getStartupFailure()))
                                .contains(InvalidConfigurationPropertyValueException.class.getName())
                                .contains(rule)));
    }

    private static String chain(Throwable failure) {
        StringBuilder texts = new StringBuilder();
        for (Throwable each = failure; each != null; each = each.getCause()) {
            texts.append(each).append('\n');
            if (each instanceof InvalidConfigurationPropertyValueException broken) {
                texts.append(broken.getName())
                        .append(' ')
                        .append(broken.getReason())
                        .append('\n');
            }
        }
        return texts.toString();
    }
}
