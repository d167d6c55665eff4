package io.distlock.test.provider;

import io.distlock.LockKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Which fault applies to a kind of call: one for all keys, or one for a single key. Thread-safe. */
final class FaultPlan {

    private final Map<LockKey, Fault> byKey = new ConcurrentHashMap<>();
    private volatile Fault others = Fault.NONE;

    void set(Fault fault) {
        others = fault;
    }

    void set(LockKey key, Fault fault) {
        byKey.put(key, fault);
    }

    void clear() {
        byKey.clear();
        others = Fault.NONE;
    }

    Fault of(LockKey key) {
        return byKey.getOrDefault(key, others);
    }
}
