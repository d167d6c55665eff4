package io.distlock.benchmarks.store;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * One way to hand a lock from client to client.
 *
 * @param name whose way it is
 * @param joins one more client, connected
 */
public record Rivals(String name, Supplier<Rival> joins) {

    /** Our own way, for applications on a store. */
    public static Rivals ours(Supplier<Application> applications) {
        return new Rivals("distlock", () -> new ClientRival(applications.get()));
    }

    /** One more client, to be closed by whoever asks. */
    public Rival join() {
        return joins.get();
    }

    /** One of several clients that want the same lock, with a connection of its own. For one thread. */
    public interface Rival extends AutoCloseable {

        /** Waits until it has the lock; what gives it back, and waits until that is done. */
        Runnable take();

        @Override
        void close();
    }

    /** One application of several that want the same lock. */
    private static final class ClientRival implements Rival {

        private static final Duration PATIENCE = Duration.ofSeconds(60);

        private final Application application;
        private final LockClient locks;

        ClientRival(Application application) {
            this.application = application;
            this.locks = application.locks();
        }

        @Override
        public Runnable take() {
            HeldLock held = locks.acquire(locks.request("rivals").withWaitTime(PATIENCE));
            return held::release;
        }

        @Override
        public void close() {
            application.close();
        }
    }
}
