package io.distlock.etcd.autoconfigure;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.testcontainers.containers.Container;

/** Containers with {@code @ServiceConnection("etcd")}: members of one cluster, on port 2379. */
final class EtcdContainerConnectionDetailsFactory
        extends ContainerConnectionDetailsFactory<Container<?>, EtcdConnectionDetails> {

    private static final int PORT = 2379;

    EtcdContainerConnectionDetailsFactory() {
        super("etcd");
    }

    @Override
    protected EtcdConnectionDetails getContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
        return new Details(source);
    }

    private static final class Details extends ContainerConnectionDetails<Container<?>>
            implements EtcdConnectionDetails {

        Details(ContainerConnectionSource<Container<?>> source) {
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
            return List.of(URI.create((getSslBundle() == null ? "http://" : "https://")
                    + etcd.getHost()
                    + ':'
                    + etcd.getMappedPort(PORT)));
        }
    }
}
