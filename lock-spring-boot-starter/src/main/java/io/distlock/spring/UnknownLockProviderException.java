package io.distlock.spring;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** No provider has the requested name. */
public final class UnknownLockProviderException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private static final List<String> USUAL = List.of("redis", "redlock", "etcd", "in-memory");

    private static final int SIMILAR = 2;

    private final String provider;
    private final List<String> known;

    public UnknownLockProviderException(String provider, Collection<String> known) {
        super("there is no lock provider '" + provider + "'; known providers: "
                + (known.isEmpty() ? "none" : String.join(", ", known))
                + similar(provider, known)
                        .map(name -> "; did you mean " + name + "?")
                        .orElse(""));
        this.provider = provider;
        this.known = List.copyOf(known);
    }

    /** The requested name. */
    public String provider() {
        return provider;
    }

    /** The names of the known providers. */
    public List<String> known() {
        return known;
    }

    /** The name that was probably meant: a known one or one of this project's providers. */
    public Optional<String> suggestion() {
        return similar(provider, known);
    }

    private static Optional<String> similar(String provider, Collection<String> known) {
        String asked = provider.toLowerCase(Locale.ROOT);
        return USUAL.contains(asked)
                ? Optional.empty()
                : Stream.concat(known.stream(), USUAL.stream())
                        .min(Comparator.comparingInt(name -> distance(asked, name)))
                        .filter(name -> distance(asked, name) <= SIMILAR);
    }

    /** Levenshtein's: how many characters to change, add or leave out. */
    private static int distance(String one, String other) {
        int[] above = IntStream.rangeClosed(0, other.length()).toArray();
        for (int row = 1; row <= one.length(); row++) {
            int[] current = new int[above.length];
            current[0] = row;
            for (int at = 1; at < current.length; at++) {
                int changed = above[at - 1] + (one.charAt(row - 1) == other.charAt(at - 1) ? 0 : 1);
                current[at] = Math.min(changed, 1 + Math.min(above[at], current[at - 1]));
            }
            above = current;
        }
        return above[other.length()];
    }
}
