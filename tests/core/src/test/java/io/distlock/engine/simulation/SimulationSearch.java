package io.distlock.engine.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.distlock.spi.Ticker;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Looks for a broken promise, one seed after the other and in each with all kinds of faults, and ends with 1 at the first:
 * see {@code scripts/prove-chaos}.
 */
final class SimulationSearch {

    private SimulationSearch() {}

    /** {@code histories}: how many at most. */
    public static void main(String[] arguments) {
        ((Logger) LoggerFactory.getLogger("io.distlock")).setLevel(Level.OFF);
        int most = Integer.parseInt(arguments[0]);
        List<SimulatedFaults> kinds = SimulationTests.faults().toList();
        long begin = Ticker.system().nanos();
        for (int history = 0; history < most; history++) {
            try {
                Simulation.run(kinds.get(history % kinds.size()), history / kinds.size());
            } catch (AssertionError broken) {
                long seconds = (Ticker.system().nanos() - begin) / 1_000_000_000;
                System.out.printf("broken after %d s, in history %d: %s%n", seconds, history + 1, broken.getMessage());
                System.exit(1);
            }
        }
        System.out.printf("Every promise was kept in %d histories%n", most);
        System.exit(0);
    }
}
