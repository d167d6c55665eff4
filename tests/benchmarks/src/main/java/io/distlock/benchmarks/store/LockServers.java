package io.distlock.benchmarks.store;

import java.util.List;
import java.util.function.LongSupplier;

/** Servers on which applications take locks. Closing them ends them. For one thread. */
public interface LockServers extends AutoCloseable {

    /** A new application on them, connected. */
    Application application();

    /** Starts to count commands. */
    CommandCount countCommands();

    /** The servers' processes. What they have started themselves belongs to them. */
    List<Long> processes();

    @Override
    void close();

    /** Counts what clients ask of the servers. For one thread. */
    interface CommandCount extends AutoCloseable {

        /** By what servers count themselves, from now on. */
        static CommandCount of(LongSupplier total) {
            long before = total.getAsLong();
            return new CommandCount() {

                @Override
                public int soFar() {
                    return Math.toIntExact(total.getAsLong() - before);
                }

                @Override
                public void close() {}
            };
        }

        /** How many commands clients have sent since this was made. */
        int soFar();

        @Override
        void close();
    }
}
