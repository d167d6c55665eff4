package io.distlock.benchmarks.store;

import io.distlock.LockClient;
import java.util.Optional;

/**
 * One way to take a lock and to give it back, to be measured beside others. Thread-safe: cycles on different items may
 * run at the same time.
 */
public interface Contestant extends AutoCloseable {

    /** How many items a cycle may be asked for. */
    int ITEMS = 1_024;

    /** Whose way it is. */
    String name();

    /**
     * Takes the lock of an item, which nobody else wants, and gives it back; waits for the answer to each.
     *
     * @param item 0 to {@link #ITEMS}, exclusive
     */
    void cycle(int item);

    /**
     * Takes the lock of an item that nobody else wants, for long: a library renews it with its default lease of 30 s.
     *
     * @return what the holder keeps in order to release it; empty if this way is not measured
     */
    default Optional<Object> hold(int item) {
        return Optional.empty();
    }

    @Override
    void close();

    /** Our own way, as an application goes it: a request for each cycle, and try-with-resources. */
    final class ClientContestant implements Contestant {

        private final Application application;
        private final LockClient locks;

        /** Over an application, which is closed with this. */
        public ClientContestant(Application application) {
            this.application = application;
            this.locks = application.locks();
        }

        @Override
        public String name() {
            return "distlock";
        }

        @Override
        public void cycle(int item) {
            locks.acquire(locks.request("bench", Integer.toString(item))).close();
        }

        /** The application underneath. */
        public Application application() {
            return application;
        }

        @Override
        public void close() {
            application.close();
        }
    }
}
