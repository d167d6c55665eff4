package io.distlock.benchmarks.capacity;

import static io.distlock.benchmarks.capacity.Figures.point;
import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.benchmarks.capacity.Growth.Measured;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class FleetTests {

    private static final String PROCESSORS = "servers' processors, 60 % busy";

    private static Map<String, Function<String, Optional<String>>> needs(Measured measured) {
        return new Fleet(new Growth(List.of(measured))).needs();
    }

    @Test
    void processorsAreThePriceOfACycleTimesAMillionOverHowBusyTheyMayBe() {
        var needs =
                needs(Figures.of("redis", point(Curve.THREADS, 16, 20_000, 15), point(Curve.CLIENTS, 64, 10_000, 30)));
        assertThat(needs.get(PROCESSORS).apply("redis")).contains("50");
        assertThat(needs.get("stores, each as fast as the one here").apply("redis"))
                .contains("50");
        assertThat(needs.get("processor of an instance, 1,000 locks a second").apply("redis"))
                .contains("4 %");
    }

    @Test
    void membersThatCopyEachOthersDataAllCount() {
        var needs =
                needs(Figures.of("etcd", point(Curve.CLIENTS, 64, 2_000, 300), point(Curve.SERVERS, 3, 1_000, 600)));
        assertThat(needs.get(PROCESSORS).apply("etcd")).contains("1,000");
    }

    /** 100,000 locks have 20,000 renewals a second, of 3 µs each. */
    @Test
    void heldLocksCostTheirRenewals() {
        var needs = needs(Figures.of("jdbc", point(Curve.HELD, 100, 1, 60), point(Curve.LEASES, 5, 1, 18_000)));
        assertThat(needs.get("servers' processors for 100 held by each, lease 15 s, 60 s")
                        .apply("jdbc"))
                .contains("0.10, 0.025");
    }

    @Test
    void inAClusterARenewalIsACommandOfItsOwn() {
        var needs = needs(Figures.of("redis", point(Curve.CLIENTS, 64, 10_000, 30)));
        assertThat(needs.get("servers' processors for 100 held by each, lease 15 s, 60 s")
                        .apply("redis"))
                .contains("0.50, 0.13");
    }

    @Test
    void nothingIsSaidOfAStoreThatWasNotMeasuredEnough() {
        assertThat(needs(Figures.of("etcd", point(Curve.KEYS, 100, 1, 1))).values())
                .allSatisfy(need -> assertThat(need.apply("etcd")).isEmpty());
    }
}
