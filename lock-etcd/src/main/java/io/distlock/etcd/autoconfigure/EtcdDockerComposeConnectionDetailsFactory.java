package io.distlock.etcd.autoconfigure;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.ssl.SslBundle;

/**
 * Services whose image is etcd's, or whose label {@code org.springframework.boot.service-connection} is {@code etcd}:
 * members of one cluster, on port 2379.
 */
final class EtcdDockerComposeConnectionDetailsFactory
        extends DockerComposeConnectionDetailsFactory<EtcdConnectionDetails> {

    private static final String[] IMAGES = {
        "etcd", "coreos/etcd", "etcd-development/etcd", "bitnami/etcd", "bitnamilegacy/etcd"
    };
    private static final int PORT = 2379;

    EtcdDockerComposeConnectionDetailsFactory() {
        super(IMAGES);
    }

    @Override
    protected EtcdConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
        return new Details(source.getRunningService());
    }

    private static final class Details extends DockerComposeConnectionDetails implements EtcdConnectionDetails {

        private final List<URI> endpoints;
        private final @Nullable SslBundle sslBundle;

        Details(RunningService service) {
            super(service);
            this.sslBundle = getSslBundle(service);
            this.endpoints = List.of(URI.create((sslBundle == null ? "http://" : "https://")
                    + service.host()
                    + ':'
                    + service.ports().get(PORT)));
        }

        @Override
        public List<URI> getEndpoints() {
            return endpoints;
        }

        @Override
        public @Nullable SslBundle getSslBundle() {
            return sslBundle;
        }
    }
}
