package io.distlock.redis.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.ssl.SslBundle;

/**
 * Connects to services whose label {@code org.springframework.boot.service-connection} is {@code redlock}. Each is a node,
 * on its port 6379. The label is required: a Redis without it is the application's own.
 */
final class RedlockDockerComposeConnectionDetailsFactory
        extends DockerComposeConnectionDetailsFactory<RedlockConnectionDetails> {

    private static final int PORT = 6379;

    RedlockDockerComposeConnectionDetailsFactory() {
        super("redlock");
    }

    @Override
    protected RedlockConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
        return new Details(source.getRunningService());
    }

    private static final class Details extends DockerComposeConnectionDetails implements RedlockConnectionDetails {

        private final RunningService service;

        Details(RunningService service) {
            super(service);
            this.service = service;
        }

        @Override
        public List<Node> getNodes() {
            String password = service.env().get("REDIS_PASSWORD");
            return List.of(
                    new Node(service.host(), service.ports().get(PORT), null, password, 0, getSslBundle() != null));
        }

        @Override
        public @Nullable SslBundle getSslBundle() {
            return getSslBundle(service);
        }
    }
}
