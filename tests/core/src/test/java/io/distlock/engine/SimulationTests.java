package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** Random histories in virtual time, the same ones each time. */
@EndsInTime
class SimulationTests {

    private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.distlock");
    private static final int HISTORIES = 40;

    @BeforeAll
    static void beQuiet() {
        LOG.setLevel(Level.OFF);
    }

    @AfterAll
    static void logAgain() {
        LOG.setLevel(null);
    }

    static Stream<SimulatedFaults> faults() {
        return Stream.of(
                SimulatedFaults.NONE,
                SimulatedFaults.SLOW,
                SimulatedFaults.LOSS,
                SimulatedFaults.CUTS,
                SimulatedFaults.PAUSES,
                SimulatedFaults.ENDS,
                SimulatedFaults.STALLS,
                SimulatedFaults.STALLS_AND_ENDS,
                SimulatedFaults.ALL);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void whateverHappensTheLockKeepsItsPromises(SimulatedFaults faults) {
        // Little happens in a quiet one.
        int histories = faults.isQuiet() ? 5 * HISTORIES : HISTORIES;
        for (int seed = 0; seed < histories; seed++) {
            Simulation.run(faults, seed);
        }
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aSeedHasOneHistory(SimulatedFaults faults) {
        for (int seed = 0; seed < 8; seed++) {
            List<String> history = Simulation.trace(faults, seed);
            assertThat(Simulation.trace(faults, seed)).isEqualTo(history);
        }
    }
}
