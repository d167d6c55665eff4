package io.distlock.spring.execution;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A lock that one call needs, how to take it, and what the caller gets if it is not acquired. */
public record LockTask(LockClient client, LockRequest request, BodyPolicy policy, NotAcquiredHandler notAcquired) {

    private record Place(String provider, LockKey key) {}

    /** With the remaining wait time; one attempt if none is left. */
    LockTask waitedFor(Duration time) {
        Duration left = request.options().waitTime().minus(time);
        return with(request.withWaitTime(left.isNegative() ? Duration.ZERO : left), policy);
    }

    private LockTask with(LockRequest changed, BodyPolicy policy) {
        return new LockTask(client, changed, policy, notAcquired);
    }

    /**
     * The same locks in the order in which every call takes them: by provider, then by key; each key once, exclusively if
     * any of the tasks requires it, with the fewest permits, and fenced likewise. Requests for several keys are split; otherwise
     * two calls could each hold a key that the other waits for.
     */
    public static List<LockTask> ordered(List<LockTask> tasks) {
        if (tasks.size() <= 1) {
            return tasks;
        }
        Map<Place, LockTask> places =
                new TreeMap<>(Comparator.comparing(Place::provider).thenComparing(Place::key));
        for (LockTask task : tasks) {
            for (LockKey key : task.request.keys()) {
                places.merge(new Place(task.client.provider(), key), task, LockTask::stronger);
            }
        }
        // Neighbours from the same request stay joined.
        Deque<Map.Entry<LockTask, List<LockKey>>> joined = new ArrayDeque<>();
        places.forEach((place, task) -> {
            if (joined.isEmpty() || !joined.getLast().getKey().equals(task)) {
                joined.add(Map.entry(task, new ArrayList<>()));
            }
            joined.getLast().getValue().add(place.key());
        });
        return joined.stream().map(each -> each.getKey().with(each.getValue())).toList();
    }

    private static LockTask stronger(LockTask one, LockTask other) {
        LockTask stronger = one.request.mode() == LockMode.EXCLUSIVE ? one : other;
        // The first permits are among those of a larger number, and the lock itself is the first.
        int permits = Math.min(one.request.permits(), other.request.permits());
        boolean alike = one.policy.fenced() == other.policy.fenced();
        return stronger.with(
                stronger.request.withPermits(permits), alike ? stronger.policy : stronger.policy.withFenced(true));
    }

    private LockTask with(List<LockKey> keys) {
        return with(new LockRequest(List.copyOf(keys), request.mode(), request.options(), request.permits()), policy);
    }
}
