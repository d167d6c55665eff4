package io.distlock.spring;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** No provider has the requested name. */
public final class UnknownLockProviderException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private static final int SIMILAR = 2;

    private final String provider;
    private final List<String> known;
    private final @Nullable String suggestion;

    public UnknownLockProviderException(String provider, Collection<String> known) {
        this(provider, known, List.of());
    }

    /**
     * A mistake in the configuration, where the requested provider itself may be missing for it.
     *
     * @param idle the names of providers whose modules are on the class path
     */
    public UnknownLockProviderException(String provider, Collection<String> known, Collection<String> idle) {
        this(provider, known, similar(provider, Stream.of(known, idle, List.of("in-memory"))));
    }

    private UnknownLockProviderException(String provider, Collection<String> known, Optional<String> suggestion) {
        super("there is no lock provider '" + provider + "'; known providers: "
                + (known.isEmpty() ? "none" : String.join(", ", known))
                + suggestion.map(name -> "; did you mean " + name + "?").orElse(""));
        this.provider = provider;
        this.known = List.copyOf(known);
        this.suggestion = suggestion.orElse(null);
    }

    /** The requested name. */
    public String provider() {
        return provider;
    }

    /** The names of the known providers. */
    public List<String> known() {
        return known;
    }

    /** The name that was probably meant, if one is similar. */
    public Optional<String> suggestion() {
        return Optional.ofNullable(suggestion);
    }

    private static Optional<String> similar(String provider, Stream<Collection<String>> names) {
        String asked = provider.toLowerCase(Locale.ROOT);
        return names.flatMap(Collection::stream)
                .min(Comparator.comparingInt(name -> distance(asked, name)))
                .filter(name -> distance(asked, name) <= SIMILAR && !name.equals(asked));
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
