package io.distlock.redis.autoconfigure.testcontainers;

import io.distlock.redis.autoconfigure.RedlockConnectionDetails;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.testcontainers.containers.Container;

/** Containers that carry {@code @ServiceConnection("redlock")}, each of them a node, by its port 6379. */
final class RedlockContainerConnectionDetailsFactory
        extends ContainerConnectionDetailsFactory<Container<?>, RedlockConnectionDetails> {

    private static final int PORT = 6379;

    RedlockContainerConnectionDetailsFactory() {
        super("redlock");
    }

    @Override
    protected RedlockConnectionDetails getContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
        return new Details(source);
    }

    private static final class Details extends ContainerConnectionDetails<Container<?>>
            implements RedlockConnectionDetails {

        Details(ContainerConnectionSource<Container<?>> source) {
            super(source);
        }

        @Override
        public @Nullable SslBundle getSslBundle() {
            return super.getSslBundle();
        }

        /** The container may not have been started before it is asked. */
        @Override
        public List<Node> getNodes() {
            Container<?> redis = getContainer();
            return List.of(new Node(redis.getHost(), redis.getMappedPort(PORT), null, null, 0, getSslBundle() != null));
        }
    }
}
