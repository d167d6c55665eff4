package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.measure.SideBySide.Turn;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Application;
import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.Contestant.ClientContestant;
import io.distlock.benchmarks.store.Store;
import io.distlock.benchmarks.store.Store.QuorumStore;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Mode;

/** What a lock costs while a minority of the servers is in trouble, beside the same on a store that is well. */
final class MinorityInTrouble implements Measurement {

    private static final Duration SLOW = Duration.ofMillis(100);

    private final String name;
    private final String title;
    private final Supplier<? extends QuorumStore> stores;
    private final Function<QuorumStore, Application> well;
    private final Function<QuorumStore, Application> trouble;

    private MinorityInTrouble(
            String name,
            String title,
            Supplier<? extends QuorumStore> stores,
            Function<QuorumStore, Application> well,
            Function<QuorumStore, Application> trouble) {
        this.name = name;
        this.title = title;
        this.stores = stores;
        this.well = well;
        this.trouble = trouble;
    }

    /**
     * One server answers late.
     *
     * @param stores starts a store, one that is well and one that gets into trouble
     */
    static Measurement slowNode(Supplier<? extends QuorumStore> stores) {
        return new MinorityInTrouble(
                "slow-node",
                "The same as 'uncontended', with one server that answers %d ms later".formatted(SLOW.toMillis()),
                stores,
                // Over the same proxy, which has its price on a machine with few processors.
                store -> store.applicationWithASlowServer(Duration.ZERO),
                store -> store.applicationWithASlowServer(SLOW));
    }

    /**
     * As many servers as can be borne take everything and answer nothing.
     *
     * @param stores starts a store, one that is well and one that gets into trouble
     */
    static Measurement frozenNodes(Supplier<? extends QuorumStore> stores) {
        return new MinorityInTrouble(
                "frozen-nodes",
                "The same as 'uncontended', with a minority of the servers frozen (SIGSTOP)",
                stores,
                Store::application,
                store -> {
                    Application application = store.application();
                    store.freezeMinority();
                    return application;
                });
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public void run(Store store, RunSize size, Report report) {
        try (QuorumStore healthy = stores.get();
                QuorumStore ill = stores.get();
                Contestant wellOff = new ClientContestant(well.apply(healthy));
                Contestant troubled = new ClientContestant(trouble.apply(ill))) {
            List<Contestant> both = List.of(wellOff, troubled);
            // The turns that do not count are also those in which silence is noticed.
            Rounds<Turn> rounds = SideBySide.rounds(
                    size, size.of(60, 20, 2), both, Mode.SampleTime, 1, size.millis(400, 250, 20), report);
            report.figure("p50, all well", Stopwatch.micros(rounds.median(wellOff, Turn::nanos)), "µs");
            report.figure("p50, in trouble", Stopwatch.micros(rounds.median(troubled, Turn::nanos)), "µs");
            report.figure(
                    "p50 in trouble relative to all being well",
                    rounds.ratio(troubled, wellOff, Turn::nanos),
                    "×",
                    Target.atMost(1.1));
        }
    }
}
