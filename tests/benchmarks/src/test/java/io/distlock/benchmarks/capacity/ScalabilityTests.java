package io.distlock.benchmarks.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.distlock.benchmarks.capacity.Scalability.Sample;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class ScalabilityTests {

    private static final Offset<Double> EXACTLY = within(1e-9);

    private static List<Sample> samples(Scalability law, Integer... counts) {
        return Stream.of(counts)
                .map(count -> new Sample(count, law.millis(count)))
                .toList();
    }

    @Test
    void itIsFoundFromWhatFollowsFromIt() {
        Scalability found = Scalability.of(samples(new Scalability(0.1, 0.02, 0.001), 1, 2, 16, 64));
        assertThat(found.alone()).isCloseTo(0.1, EXACTLY);
        assertThat(found.shared()).isCloseTo(0.02, EXACTLY);
        assertThat(found.mutual()).isCloseTo(0.001, EXACTLY);
    }

    /** Of three, each waits for two others at what they share, and costs each of two others something. */
    @Test
    void eachAddsWhatAllShareAndWhatItCostsEachOtherOne() {
        assertThat(new Scalability(0.1, 0.02, 0.001).millis(3)).isCloseTo(0.1 + 2 * 0.02 + 6 * 0.001, EXACTLY);
    }

    @Test
    void nobodyHelpsTheOthers() {
        Scalability ofTwo = new Scalability(0.1, 0.02, 0);
        List<Sample> fasterThanThat = List.of(
                new Sample(1, ofTwo.millis(1)), new Sample(4, ofTwo.millis(4)), new Sample(16, 0.9 * ofTwo.millis(16)));
        Scalability found = Scalability.of(fasterThanThat);
        assertThat(found.mutual()).isZero();
        assertThat(found.shared()).isPositive();
    }

    @Test
    void ofTwoCountsNothingIsSaidAboutWhatTheyCostEachOther() {
        Scalability found = Scalability.of(samples(new Scalability(0.1, 0.02, 0.001), 1, 16));
        assertThat(found.mutual()).isZero();
        assertThat(found.millis(16)).isCloseTo(0.1 + 15 * 0.036, EXACTLY);
    }

    @Test
    void itBendsWhereWhatIsSharedIsInUseAllTheTime() {
        assertThat(new Scalability(0.1, 0.02, 0).knee()).isCloseTo(5, EXACTLY);
    }
}
