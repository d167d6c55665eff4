package io.distlock.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a connection is closed because the server has fallen silent. */
class SilenceHandlerTests {

    private static final int TIMEOUT = 1_000;

    private final EmbeddedChannel channel = new EmbeddedChannel(new SilenceHandler(Duration.ofMillis(TIMEOUT), ""));

    @BeforeEach
    void stopTheClock() {
        channel.freezeTime();
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test
    void aCallThatIsNotAnsweredForTwoTimeoutsEndsTheConnection() {
        send();
        pass(2 * TIMEOUT - 1);
        assertThat(channel.isOpen()).isTrue();
        pass(1);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aCallBehindAnsweredOnesHasAtLeastTwoTimeoutsAndAtMostThree() {
        send();
        receive();
        pass(TIMEOUT / 2);
        send();
        pass(2 * TIMEOUT);
        assertThat(channel.isOpen()).isTrue();
        pass(TIMEOUT);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void furtherCallsDoNotPutItOff() {
        for (int calls = 0; calls < 20 && channel.isOpen(); calls++) {
            send();
            pass(TIMEOUT / 10);
        }
        assertThat(channel.isOpen()).isFalse();
    }

    /** As long as the server answers at all, it answers in order. */
    @Test
    void whateverIsReceivedKeepsIt() {
        for (int second = 0; second < 20; second++) {
            send();
            send();
            pass(TIMEOUT * 3 / 2);
            receive();
        }
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void anIdleConnectionIsKeptWithoutATimer() {
        send();
        receive();
        pass(TIMEOUT);
        assertThat(channel.hasPendingTasks()).isFalse();
        pass(100 * TIMEOUT);
        assertThat(channel.isOpen()).isTrue();
        send();
        pass(2 * TIMEOUT);
        assertThat(channel.isOpen()).isFalse();
    }

    /** What has arrived during the pause is read before the next check. */
    @Test
    void aProcessThatWasPausedDoesNotTakeThatForSilence() {
        send();
        channel.advanceTimeBy(100 * TIMEOUT, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        receive();
        pass(10 * TIMEOUT);
        assertThat(channel.isOpen()).isTrue();
    }

    private void send() {
        channel.writeOutbound("call");
    }

    private void receive() {
        channel.writeInbound("answer");
    }

    private void pass(int millis) {
        for (int i = 0; i < millis; i++) {
            channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
        }
    }
}
