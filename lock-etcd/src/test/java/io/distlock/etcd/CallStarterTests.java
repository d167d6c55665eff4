package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class CallStarterTests {

    @Test
    void onlyTheFirstCallWhichMayLookUpNamesHasAThreadOfItsOwn() throws InterruptedException, ExecutionException {
        CallStarter starter = new CallStarter();
        Future<Thread> first = starter.submit(Thread::currentThread);
        assertThat(first.get().getName()).isEqualTo("distlock-etcd-names");
        Future<Thread> second = starter.submit(Thread::currentThread);
        assertThat(second.get()).isEqualTo(Thread.currentThread());
        starter.shutdownNow();
    }
}
