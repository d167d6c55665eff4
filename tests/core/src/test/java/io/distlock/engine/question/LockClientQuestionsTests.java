package io.distlock.engine.question;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockInterruptedException;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockUnavailableException;
import io.distlock.Release;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.spi.LockProvider;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What a client says of itself, of its store, and of a lock. */
@EndsInTime
class LockClientQuestionsTests {

    private final ManualEngine here = new ManualEngine();

    @Test
    void anInspectionIsTheStoresAnswerWhoeverHoldsTheLock() {
        assertThat(here.client.inspect(LockKey.of("a"))).isEmpty();
        HeldLock held = here.other.acquire(here.now("a"));
        assertThat(here.client.inspect(LockKey.of("a"))).hasValueSatisfying(status -> {
            assertThat(status.mode()).isEqualTo(LockMode.EXCLUSIVE);
            assertThat(status.holders())
                    .singleElement()
                    .satisfies(holder -> assertThat(holder.token()).contains(held.fencingToken()));
        });
        held.release();
        assertThat(here.client.inspect(LockKey.of("a"))).isEmpty();
    }

    @Test
    void itsNameIsThatOfItsProvider() {
        assertThat(here.client.provider()).isEqualTo(here.provider.name()).isEqualTo("in-memory");
    }

    @Test
    void aLockAndItsViewNameTheirKeys() {
        assertThat(here.client.asLock(here.now("a"))).hasToString("Lock[a]");
        HeldLock held = here.hold("a");
        assertThat(held).hasToString("HeldLock[a, EXCLUSIVE, token " + held.fencingToken() + ", Held]");
        held.release();
        assertThat(held.toString()).endsWith("Released]");
    }

    /** A client whose provider answers questions like this, and does all else as any other. */
    private LockClient answering(CompletionStage<?> answer) {
        Set<String> questions = Set.of("inspect", "isCurrent", "forceRelease");
        Object provider = Proxy.newProxyInstance(
                LockProvider.class.getClassLoader(),
                new Class<?>[] {LockProvider.class},
                (proxy, method, arguments) ->
                        questions.contains(method.getName()) ? answer : method.invoke(here.provider, arguments));
        return ManualEngine.client((LockProvider) provider, here.runtime);
    }

    @Test
    void whatAStoreCannotDoIsNotTakenForSilence() {
        LockClient client = answering(CompletableFuture.failedFuture(new UnsupportedOperationException("no command")));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> client.inspect(LockKey.of("a")))
                .withMessage("no command");
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> client.forceRelease(LockKey.of("a"), new FencingToken(1)));
    }

    @Test
    void aForcedReleaseWithoutADefiniteAnswerIsNoAnswer() {
        LockClient client = answering(CompletableFuture.completedFuture(Release.UNKNOWN));
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.forceRelease(LockKey.of("a"), new FencingToken(1)))
                .withMessageContaining("no definite answer");
    }

    @Test
    void aThreadThatIsInterruptedWhileItAsksKeepsItsFlag() {
        LockClient client = answering(new CompletableFuture<>());
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> client.inspect(LockKey.of("a")));
        assertThat(Thread.interrupted()).isTrue();
    }
}
