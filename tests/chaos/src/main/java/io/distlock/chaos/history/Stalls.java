package io.distlock.chaos.history;

import io.distlock.chaos.history.Entry.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** When each client's process did not run: frozen, or without a processor. Immutable. */
public final class Stalls {

    private record Stall(long from, long until) {}

    private final Map<String, List<Stall>> byClient = new HashMap<>();

    /** Those of a history. */
    public static Stalls of(History history) {
        Stalls stalls = new Stalls();
        history.entries(Kind.STALLED)
                .forEach(entry -> stalls.byClient
                        .computeIfAbsent(entry.subject(), none -> new ArrayList<>())
                        .add(new Stall(entry.at() - entry.number(0), entry.at())));
        return stalls;
    }

    /** How much of the time between two moments a client did run. */
    public long awake(String client, long from, long until) {
        long asleep = byClient.getOrDefault(client, List.of()).stream()
                .mapToLong(stall -> Math.max(0, Math.min(until, stall.until) - Math.max(from, stall.from)))
                .sum();
        return until - from - asleep;
    }
}
