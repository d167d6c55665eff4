package io.distlock.chaos.store;

import io.distlock.test.sql.SqlServer.Product;
import java.util.List;

/** The stores under test. */
public final class Stores {

    /** How many clients a store is to be reached by. */
    public static final int CLIENTS = 3;

    /** Those there are. */
    public static final List<String> PROVIDERS =
            List.of("redis", "redlock", "etcd", "zookeeper", "postgresql", "mariadb");

    private Stores() {}

    /** Starts one, with its network. */
    public static ChaosStore start(String provider) {
        return switch (provider) {
            case "redis" -> RedisChaos.start(CLIENTS);
            case "redlock" -> RedlockChaos.start(CLIENTS);
            case "etcd" -> EtcdChaos.start(CLIENTS);
            case "zookeeper" -> ZooKeeperChaos.start(CLIENTS);
            case "postgresql" -> DatabaseChaos.start(Product.POSTGRESQL, CLIENTS);
            case "mariadb" -> DatabaseChaos.start(Product.MARIADB, CLIENTS);
            default -> throw new IllegalArgumentException("no provider is called " + provider);
        };
    }
}
