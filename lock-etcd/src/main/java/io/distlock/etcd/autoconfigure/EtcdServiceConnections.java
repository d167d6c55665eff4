package io.distlock.etcd.autoconfigure;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.testcontainers.containers.Container;

/** The services that Spring Boot starts for development and for tests: members of one cluster, on port 2379. */
final class EtcdServiceConnections {

    private static final int PORT = 2379;

    private EtcdServiceConnections() {}

    private static List<URI> endpoint(@Nullable SslBundle tls, String host, int port) {
        return List.of(URI.create((tls == null ? "http://" : "https://") + host + ':' + port));
    }

    /** Containers with {@code @ServiceConnection("etcd")}. */
    static final class Containers extends ContainerConnectionDetailsFactory<Container<?>, EtcdConnectionDetails> {

        Containers() {
            super("etcd");
        }

        @Override
        protected EtcdConnectionDetails getContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
            return new ContainerDetails(source);
        }

        private static final class ContainerDetails extends ContainerConnectionDetails<Container<?>>
                implements EtcdConnectionDetails {

            ContainerDetails(ContainerConnectionSource<Container<?>> source) {
                super(source);
            }

            @Override
            public @Nullable SslBundle getSslBundle() {
                return super.getSslBundle();
            }

            /** The container may not be running when this is created. */
            @Override
            public List<URI> getEndpoints() {
                Container<?> etcd = getContainer();
                return endpoint(getSslBundle(), etcd.getHost(), etcd.getMappedPort(PORT));
            }
        }
    }

    /** Services whose image is etcd's, or whose label {@code org.springframework.boot.service-connection} is {@code etcd}. */
    static final class DockerCompose extends DockerComposeConnectionDetailsFactory<EtcdConnectionDetails> {

        DockerCompose() {
            super(new String[] {"etcd", "coreos/etcd", "etcd-development/etcd", "bitnami/etcd", "bitnamilegacy/etcd"});
        }

        @Override
        protected EtcdConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
            return new ServiceDetails(source.getRunningService());
        }

        private static final class ServiceDetails extends DockerComposeConnectionDetails
                implements EtcdConnectionDetails {

            private final RunningService service;

            ServiceDetails(RunningService service) {
                super(service);
                this.service = service;
            }

            @Override
            public @Nullable SslBundle getSslBundle() {
                return getSslBundle(service);
            }

            @Override
            public List<URI> getEndpoints() {
                return endpoint(getSslBundle(), service.host(), service.ports().get(PORT));
            }
        }
    }
}
