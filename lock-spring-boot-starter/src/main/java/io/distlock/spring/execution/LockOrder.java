package io.distlock.spring.execution;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The order in which every call takes its locks: by provider, then by key. Requests for several keys are split for
 * that, or two calls could each hold a key that the other waits for.
 */
final class LockOrder {

    private record Place(String provider, LockKey key) {}

    private static final Comparator<Place> ORDER =
            Comparator.comparing(Place::provider).thenComparing(Place::key);

    private LockOrder() {}

    /** The same locks in order; each key once, exclusively if one of them wants it so. */
    static List<LockTask> of(List<LockTask> tasks) {
        if (tasks.size() <= 1) {
            return tasks;
        }
        Map<Place, LockTask> places = new TreeMap<>(ORDER);
        for (LockTask task : tasks) {
            for (LockKey key : task.request().keys()) {
                places.merge(new Place(task.provider(), key), task, LockOrder::stronger);
            }
        }
        return joined(places);
    }

    private static LockTask stronger(LockTask one, LockTask other) {
        return one.request().mode() == LockMode.EXCLUSIVE ? one : other;
    }

    /** Neighbours that come from one request stay one. */
    private static List<LockTask> joined(Map<Place, LockTask> places) {
        List<LockTask> ordered = new ArrayList<>();
        List<LockKey> keys = new ArrayList<>();
        LockTask current = null;
        for (Map.Entry<Place, LockTask> each : places.entrySet()) {
            if (current != null && !current.equals(each.getValue())) {
                ordered.add(of(current, keys));
                keys.clear();
            }
            current = each.getValue();
            keys.add(each.getKey().key());
        }
        if (current != null) {
            ordered.add(of(current, keys));
        }
        return ordered;
    }

    private static LockTask of(LockTask origin, List<LockKey> keys) {
        LockRequest request = origin.request();
        LockRequest part = new LockRequest(List.copyOf(keys), request.mode(), request.options());
        return new LockTask(origin.client(), part, origin.interruptOnLoss(), origin.notAcquired());
    }
}
