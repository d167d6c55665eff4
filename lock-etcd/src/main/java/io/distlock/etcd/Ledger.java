package io.distlock.etcd;

import io.distlock.LockKey;
import io.distlock.spi.LeaseRequest;
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
    private final Map<Owner, Holding> byOwner = new ConcurrentHashMap<>();

    private record Owner(LockKey key, String owner) {

        static Owner of(EtcdLease lease) {
            return new Owner(lease.key(), lease.owner());
        }
    }

    /** Before the place is taken. */
    void enter(Place place) {
        places.add(place.key());
    }

    void leave(Place place) {
        places.remove(place.key());
    }

    /** False if there is one already. */
    boolean hold(Holding holding) {
        if (held.putIfAbsent(holding.lease().place().key(), holding) != null) {
            return false;
        }
        byOwner.put(Owner.of(holding.lease()), holding);
        return true;
    }

    /** True if it was there. */
    boolean letGo(Holding holding) {
        byOwner.remove(Owner.of(holding.lease()), holding);
        return held.remove(holding.lease().place().key(), holding);
    }

    Optional<Holding> find(EtcdLease lease) {
        return Optional.ofNullable(held.get(lease.place().key()));
    }

    /** What the same acquisition was granted before. */
    Optional<Holding> findSame(LeaseRequest request) {
        return Optional.ofNullable(byOwner.get(new Owner(request.key(), request.owner())));
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
