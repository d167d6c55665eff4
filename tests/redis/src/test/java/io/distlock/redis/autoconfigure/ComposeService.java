package io.distlock.redis.autoconfigure;

import java.lang.reflect.Constructor;
import java.util.List;
import java.util.Map;
import org.springframework.boot.docker.compose.core.ConnectionPorts;
import org.springframework.boot.docker.compose.core.ImageReference;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;

/**
 * A service as Docker Compose describes it.
 *
 * @param imageName of the container
 * @param port where the container's one port is found
 */
record ComposeService(
        String name, String imageName, String host, int port, Map<String, String> env, Map<String, String> labels)
        implements RunningService {

    /** As Spring Boot hands it on; its constructor is not public. */
    DockerComposeConnectionSource source() {
        try {
            Constructor<DockerComposeConnectionSource> constructor =
                    DockerComposeConnectionSource.class.getDeclaredConstructor(RunningService.class, Environment.class);
            constructor.setAccessible(true);
            return constructor.newInstance(this, new StandardEnvironment());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public ImageReference image() {
        return ImageReference.of(imageName);
    }

    @Override
    public ConnectionPorts ports() {
        return new ConnectionPorts() {
            @Override
            public int get(int containerPort) {
                return port;
            }

            @Override
            public List<Integer> getAll() {
                return List.of(port);
            }

            @Override
            public List<Integer> getAll(String protocol) {
                return getAll();
            }
        };
    }
}
