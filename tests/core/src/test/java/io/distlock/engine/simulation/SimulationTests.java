package io.distlock.engine.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.distlock.engine.EndsInTime;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** Random histories in virtual time, the same ones each time. For more of them: scripts/simulation. */
@EndsInTime
class SimulationTests {

    private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.distlock");
    /** Of each kind of fault; zero for as many as a build has time for. See scripts/simulation. */
    private static final int HISTORIES = Integer.getInteger("distlock.histories", 0);

    private static final int FIRST = Integer.getInteger("distlock.seed", 0);

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
                SimulatedFaults.HOLDS,
                SimulatedFaults.HOLDS_AND_ENDS,
                SimulatedFaults.CROWDS,
                SimulatedFaults.CROWDS_AND_ENDS,
                SimulatedFaults.ALL);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void whateverHappensTheLockKeepsItsPromises(SimulatedFaults faults) {
        // Little happens in a quiet one.
        int atLeast = faults.isQuiet() ? 40 : 25;
        int histories = HISTORIES > 0 ? HISTORIES : atLeast;
        for (int seed = FIRST; seed < FIRST + histories; seed++) {
            Simulation.run(faults, seed);
        }
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aSeedHasOneHistory(SimulatedFaults faults) {
        for (int seed = 0; seed < 2; seed++) {
            List<String> history = Simulation.trace(faults, seed);
            assertThat(Simulation.trace(faults, seed)).isEqualTo(history);
        }
    }
}
