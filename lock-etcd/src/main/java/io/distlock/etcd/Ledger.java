package io.distlock.etcd;

import io.etcd.jetcd.ByteSequence;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Which keys of this provider there should be at the server: places of acquisitions, and locks. Thread-safe. */
final class Ledger {

    private final Set<ByteSequence> places = ConcurrentHashMap.newKeySet();
    private final Map<ByteSequence, Holding> held = new ConcurrentHashMap<>();

    /** Before the place is taken. */
    void enter(Place place) {
        places.add(place.key());
    }

    void leave(Place place) {
        places.remove(place.key());
    }

    /** False if there is one already. */
    boolean hold(Holding holding) {
        return held.putIfAbsent(holding.lease().place().key(), holding) == null;
    }

    /** True if it was there. */
    boolean letGo(Holding holding) {
        return held.remove(holding.lease().place().key(), holding);
    }

    Optional<Holding> find(EtcdLease lease) {
        return Optional.ofNullable(held.get(lease.place().key()));
    }

    boolean knows(ByteSequence key) {
        return places.contains(key) || held.containsKey(key);
    }

    List<Holding> heldOn(Session session) {
        return held.values().stream()
                .filter(holding -> holding.lease().session() == session)
                .toList();
    }
}
