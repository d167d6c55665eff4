package io.distlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Exceptions may be sent to another process: by a job scheduler, a remote call, a cache of failures. */
class SerialisationTests {

    private static final LockKey KEY = LockKey.of("orders", "a/b:{c} 1");

    private static final LockLoss LOSS = new LockLoss(
            KEY,
            LockMode.SHARED,
            new FencingToken(7),
            LockLoss.Reason.NOT_OWNER,
            Duration.ofSeconds(3),
            Duration.ofSeconds(1));

    static LockException[] exceptions() {
        Duration waited = Duration.ofMillis(1_234);
        return new LockException[] {
            new LockNotAcquiredException(KEY, waited),
            new LockUnavailableException(KEY, waited, "silent", new IllegalStateException("cause")),
            new LockInterruptedException(KEY, waited, new InterruptedException()),
            new LockLostException(LOSS)
        };
    }

    @ParameterizedTest
    @MethodSource("exceptions")
    void anExceptionSaysTheSameWhenItHasBeenSent(LockException sent) throws Exception {
        LockException received = (LockException) sendAndReceive(sent);
        assertThat(received).isInstanceOf(sent.getClass()).hasMessage(sent.getMessage());
        assertThat(received.key()).isEqualTo(KEY);
        assertThat(received.elapsed()).isEqualTo(sent.elapsed());
        assertThat(Objects.toString(received.getCause())).isEqualTo(Objects.toString(sent.getCause()));
    }

    @Test
    void aLossIsSentWithItsException() throws Exception {
        LockLostException received = (LockLostException) sendAndReceive(new LockLostException(LOSS));
        assertThat(received.loss()).isEqualTo(LOSS);
    }

    @Test
    void aKeyWithoutAnItemIsSent() throws Exception {
        assertThat(sendAndReceive(LockKey.of("orders"))).isEqualTo(LockKey.of("orders"));
    }

    private static Object sendAndReceive(Object value) throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return in.readObject();
        }
    }
}
