package io.distlock.spring.autoconfigure;

import java.util.List;

/** There are several lock providers, and none has been chosen. */
final class AmbiguousLockProviderException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final List<String> providers;

    AmbiguousLockProviderException(List<String> providers) {
        super("there are several lock providers and none is chosen: set distributed-lock.provider to one of "
                + String.join(", ", providers));
        this.providers = List.copyOf(providers);
    }

    List<String> providers() {
        return providers;
    }
}
