package io.distlock.zookeeper.autoconfigure;

import org.apache.curator.framework.CuratorFrameworkFactory;

/**
 * Changes the settings of the locks' connections, for what no property covers: an ensemble provider, another way to
 * authenticate, an {@code ACLProvider}. Beans of this type are called in order, after the properties have been applied.
 */
@FunctionalInterface
public interface ZooKeeperClientBuilderCustomizer {

    /** Namespace, session timeout and retries are ignored: sessions are as long as locks need them. */
    void customize(CuratorFrameworkFactory.Builder builder);
}
