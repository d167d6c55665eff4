package io.distlock.spring.autoconfigure;

import java.util.List;

/** None of the lock providers in the context is the default one: there is none at all, or there are several. */
final class NoDefaultLockProviderException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final List<String> known;

    NoDefaultLockProviderException(List<String> known) {
        super(
                known.isEmpty()
                        ? "there is no lock provider: add io.distlock:lock-redis or io.distlock:lock-etcd, or set "
                                + "distributed-lock.provider=in-memory for locks inside this JVM alone"
                        : "there are several lock providers and none is chosen: set distributed-lock.provider to one of "
                                + String.join(", ", known));
        this.known = List.copyOf(known);
    }

    /** The names of the providers in the context. */
    List<String> known() {
        return known;
    }
}
