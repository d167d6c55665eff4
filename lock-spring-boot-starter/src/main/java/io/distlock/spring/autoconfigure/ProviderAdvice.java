package io.distlock.spring.autoconfigure;

/** Where lock providers come from, for the advice that failure analyses give. */
final class ProviderAdvice {

    static final String MODULES = """
            - locks on Redis: add the dependency io.distlock:lock-redis and configure spring.data.redis.*
            - locks on etcd: add the dependency io.distlock:lock-etcd and configure distributed-lock.etcd.*
            - locks inside this JVM alone, for tests and development: set distributed-lock.provider=in-memory
            - a store of your own: declare a bean of type io.distlock.spi.LockProvider""";

    static final String BESIDE = "\n- redis, redlock or etcd beside another default provider: set"
            + " distributed-lock.<its name>.enabled=true";

    private ProviderAdvice() {}
}
