package io.distlock.chaos.campaign;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A campaign in figures: a line of the file that is kept, and a row of the page's table.
 *
 * @param provider the provider
 * @param server product and version of the servers
 * @param values all figures
 */
public record Figures(String provider, String server, Map<Figure, Long> values) {

    /** What is counted, in the order of the file. */
    public enum Figure {
        /** The seed. */
        SEED,
        /** How long faults went on. */
        SECONDS,
        /** How often a client was killed or frozen. */
        CLIENT_FAULTS,
        /** How often something happened to a server or the network. */
        STORE_FAULTS,
        /** How often a lock or a permit was asked for. */
        ATTEMPTS,
        /** How often a lock was granted. */
        LOCKS,
        /** How often a permit was granted. */
        PERMITS,
        /** How often a role had another leader, or the same one in another term. */
        CHANGES_OF_LEADER,
        /** The median time without a leader after a resignation. */
        MILLIS_AFTER_RESIGNATION,
        /** The median time without a leader after any other end of a term. */
        MILLIS_AFTER_OTHERS,
        /** How many losses of locks and permits were told. */
        LOSSES,
        /** How many writes reached the register. */
        WRITES,
        /** How many of them its fence refused. */
        REFUSED,
        /** How often a promise was not kept. */
        VIOLATIONS,
        /** The same under faults that the provider does not promise to bear. */
        BEYOND,
        /** Control: overlaps of bodies that did not ask their lock. */
        OVERLAPS,
        /** Control: stale writes that a register without a fence would have taken. */
        STALE_WRITES
    }

    private static final String SEPARATOR = ";";

    public Figures {
        values = Map.copyOf(values);
        if (values.size() != Figure.values().length) {
            throw new IllegalArgumentException(
                    "of %s, only these are given: %s".formatted(Arrays.toString(Figure.values()), values.keySet()));
        }
    }

    /** One of them. */
    public long get(Figure figure) {
        return values.getOrDefault(figure, 0L);
    }

    /** The names of the columns, as the first line of the file. */
    static String names() {
        return Stream.concat(
                        Stream.of("PROVIDER", "SERVER"),
                        Stream.of(Figure.values()).map(Enum::name))
                .collect(Collectors.joining(SEPARATOR));
    }

    /** As a line of the file. */
    public String line() {
        return Stream.concat(
                        Stream.of(provider, server), Stream.of(Figure.values()).map(each -> Long.toString(get(each))))
                .collect(Collectors.joining(SEPARATOR));
    }

    /** The figures in a line. */
    public static Figures parse(String line) {
        List<String> words = Arrays.asList(line.split(SEPARATOR, -1));
        Map<Figure, Long> values = new EnumMap<>(Figure.class);
        Iterator<String> rest = words.subList(2, words.size()).iterator();
        for (Figure figure : Figure.values()) {
            values.put(figure, Long.parseLong(rest.next()));
        }
        return new Figures(words.get(0), words.get(1), values);
    }
}
