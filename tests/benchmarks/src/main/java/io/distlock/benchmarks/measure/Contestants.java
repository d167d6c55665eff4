package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.Contestant.ClientContestant;
import io.distlock.benchmarks.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Who is measured side by side on a store.
 *
 * @param ours our client
 * @param driver the bare driver, which everybody is compared with
 * @param peers other libraries; they have no target
 */
record Contestants(ClientContestant ours, Contestant driver, List<Contestant> peers) implements AutoCloseable {

    /** Connects everybody. A test of our counts does without the peers. */
    static Contestants on(Store store, RunSize size) {
        return new Contestants(
                new ClientContestant(store.application()),
                store.driver(),
                size == RunSize.TINY ? List.of() : store.peers());
    }

    /** The bare driver with a plainer lock than ours, if the store has one. */
    Optional<Contestant> plain() {
        return peers.stream().filter(peer -> peer.name().startsWith("bare ")).findFirst();
    }

    /** The peer that our client has a target beside, if there is one. */
    Optional<Contestant> peer(Store store) {
        return store.peerTargets()
                .flatMap(targets -> peers.stream()
                        .filter(peer -> peer.name().equals(targets.peer()))
                        .findFirst());
    }

    List<Contestant> all() {
        List<Contestant> all = new ArrayList<>(List.of(ours, driver));
        all.addAll(peers);
        return all;
    }

    @Override
    public void close() {
        all().forEach(Contestant::close);
    }
}
