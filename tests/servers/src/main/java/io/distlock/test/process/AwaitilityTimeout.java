package io.distlock.test.process;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets tests that name no limit await what they wait for as long as a busy machine takes: Awaitility's ten seconds are no
 * promise of what is tested. JUnit finds it by itself.
 */
public final class AwaitilityTimeout implements BeforeAllCallback {

    private static final Duration BUSY_MACHINE = Duration.ofMinutes(1);

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(BUSY_MACHINE);
    }
}
