package io.distlock.spring;

import java.util.Collection;
import java.util.List;

/** No provider has the requested name. */
public final class UnknownLockProviderException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String provider;
    private final List<String> known;

    public UnknownLockProviderException(String provider, Collection<String> known) {
        super("there is no lock provider '" + provider + "'; known "
                + (known.isEmpty() ? "are none" : known.size() == 1 ? "is " : "are ") + String.join(", ", known));
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
}
