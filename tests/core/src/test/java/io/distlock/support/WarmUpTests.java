package io.distlock.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class WarmUpTests {

    @Test
    void theReasonIsThatOfTheInnermostCause() {
        Throwable refused = new IOException("Unable to connect", new IOException("WRONGPASS invalid password"));
        assertThat(WarmUp.reason(new CompletionException(refused))).isEqualTo("WRONGPASS invalid password");
    }

    @Test
    void aCauseThatSaysNothingIsNoReason() {
        assertThat(WarmUp.reason(new IOException("connecting failed", new ClosedChannelException())))
                .isEqualTo("connecting failed");
        assertThat(WarmUp.reason(new CompletionException(new ClosedChannelException())))
                .isEqualTo("the connection broke");
    }
}
