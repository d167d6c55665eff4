package io.distlock.benchmarks.etcd;

import io.distlock.benchmarks.neighbour.Neighbour;
import io.distlock.benchmarks.store.Application;
import java.net.URI;

/** A neighbour's JVM: {@code EtcdNeighbour http://host:port}. */
final class EtcdNeighbour {

    private EtcdNeighbour() {}

    public static void main(String[] arguments) {
        try (Application application = EtcdApplication.at(URI.create(arguments[0]))) {
            new Neighbour(application.locks(), System.in, System.out).serve();
        }
    }
}
