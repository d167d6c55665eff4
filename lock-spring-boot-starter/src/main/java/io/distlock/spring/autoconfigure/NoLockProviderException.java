package io.distlock.spring.autoconfigure;

/** No lock provider is in the context. */
final class NoLockProviderException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    NoLockProviderException() {
        super("there is no lock provider: add io.distlock:lock-redis or io.distlock:lock-etcd, or set "
                + "distributed-lock.provider=in-memory for locks inside this JVM alone");
    }
}
