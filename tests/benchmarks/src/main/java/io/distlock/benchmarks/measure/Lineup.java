package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.store.ClientContender;
import io.distlock.benchmarks.store.Contender;
import io.distlock.benchmarks.store.Store;
import java.util.ArrayList;
import java.util.List;

/**
 * Who is measured side by side on a store.
 *
 * @param ours our client
 * @param driver the bare driver, which everybody is compared with
 * @param peers other libraries; they have no target
 */
record Lineup(ClientContender ours, Contender driver, List<Contender> peers) implements AutoCloseable {

    /** Connects everybody. A test of our counts does without the peers. */
    static Lineup on(Store store, Effort effort) {
        return new Lineup(
                new ClientContender(store.application()),
                store.driver(),
                effort == Effort.TINY ? List.of() : store.peers());
    }

    List<Contender> all() {
        List<Contender> all = new ArrayList<>(List.of(ours, driver));
        all.addAll(peers);
        return all;
    }

    @Override
    public void close() {
        all().forEach(Contender::close);
    }
}
