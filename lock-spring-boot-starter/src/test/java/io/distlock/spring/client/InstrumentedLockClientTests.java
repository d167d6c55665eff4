package io.distlock.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

/** A call that is given up in the instant of its grant leaves no lock behind. */
class InstrumentedLockClientTests {

    private final LockRequest request = LockRequest.of(LockOptions.defaults(), List.of(LockKey.of("a")));
    private final HeldLock held = Mockito.mock(HeldLock.class);
    private final LockClient target = Mockito.mock(LockClient.class);
    private final InstrumentedLockClient.CallListener call = Mockito.mock(InstrumentedLockClient.CallListener.class);
    private final InstrumentedLockClient client = new InstrumentedLockClient(target, asked -> call);

    /** A grant that is on its way, and that cancelling does not stop. */
    private static final class UnderWay<T> extends CompletableFuture<T> {

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return false;
        }
    }

    @Test
    void aFutureThatIsGivenUpInTheInstantOfItsGrantGivesTheLockBack() {
        grantsAreReleasedAsync();
        UnderWay<HeldLock> asked = new UnderWay<>();
        Mockito.when(target.acquireAsync(request)).thenReturn(asked);
        client.acquireAsync(request).cancel(true);
        asked.complete(held);
        Mockito.verify(held).releaseAsync();
    }

    @Test
    void soDoesOneThatMayBeEmpty() {
        grantsAreReleasedAsync();
        UnderWay<Optional<HeldLock>> asked = new UnderWay<>();
        Mockito.when(target.tryAcquireAsync(request)).thenReturn(asked);
        client.tryAcquireAsync(request).cancel(true);
        asked.complete(Optional.of(held));
        Mockito.verify(held).releaseAsync();
    }

    private void grantsAreReleasedAsync() {
        Mockito.when(call.granted(held)).thenReturn(Mockito.mock(InstrumentedLockClient.HoldListener.class));
        Mockito.when(held.releaseAsync()).thenReturn(new CompletableFuture<>());
    }

    /** The news must not take the way of those that may block. */
    @Test
    void theNewsOfALossIsHandedOnAsItComes() {
        Mockito.when(call.granted(held)).thenReturn(Mockito.mock(InstrumentedLockClient.HoldListener.class));
        Mockito.when(target.acquire(request)).thenReturn(held);
        HeldLock followed = client.acquire(request);
        followed.onLost(loss -> {});
        Mockito.verify(held, Mockito.times(2)).onLost(Mockito.any());
        Mockito.verify(held, Mockito.never()).lost();
        assertThat(followed).isInstanceOf(InstrumentedLockClient.InstrumentedLock.class);
    }
}
