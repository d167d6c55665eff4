package io.distlock.engine.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.distlock.engine.EndsInTime;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** Hours of leader election in virtual time. For more of them: {@code -Ddistlock.seeds=100}. */
@EndsInTime
class LeaderSimulationTests {

    private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.distlock");

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
                SimulatedFaults.HOLDS,
                SimulatedFaults.ALL);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void neverDoTwoLeadAndEachTermEndsBeforeTheNextBegins(SimulatedFaults faults) {
        for (int seed = 0; seed < Integer.getInteger("distlock.seeds", 1); seed++) {
            LeaderSimulation.Outcome outcome = LeaderSimulation.run(faults, seed);
            if (Boolean.getBoolean("distlock.seeds.print")) {
                System.out.println(faults + " " + seed + ": " + outcome.terms() + " terms, " + outcome.expired()
                        + " expired, " + outcome.lost() + " lost");
            }

            assertThat(outcome.terms()).isGreaterThan(170);
        }
    }

    @Test
    void aSeedHasOneHistory() {
        assertThat(LeaderSimulation.run(SimulatedFaults.ALL, 7).trace())
                .isEqualTo(LeaderSimulation.run(SimulatedFaults.ALL, 7).trace());
    }
}
