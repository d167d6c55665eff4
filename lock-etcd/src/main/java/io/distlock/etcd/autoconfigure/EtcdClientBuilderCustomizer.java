package io.distlock.etcd.autoconfigure;

import io.etcd.jetcd.ClientBuilder;

/**
 * Changes the builder of the locks' etcd client, for what no property covers: a header, an interceptor, another keepalive time.
 * Beans of this type are called in order, after the properties have been applied.
 */
@FunctionalInterface
public interface EtcdClientBuilderCustomizer {

    /**
     * The builder comes with what the locks rely on: no call is sent twice or held back until a server is up, and only servers
     * that know a leader are used. Add interceptors and headers rather than replace them.
     */
    void customize(ClientBuilder builder);
}
