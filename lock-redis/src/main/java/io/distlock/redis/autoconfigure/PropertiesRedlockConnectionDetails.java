package io.distlock.redis.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/** What the properties say. */
final class PropertiesRedlockConnectionDetails implements RedlockConnectionDetails {

    private final List<Node> nodes;
    private final @Nullable SslBundle sslBundle;

    PropertiesRedlockConnectionDetails(RedlockProperties properties, @Nullable SslBundles bundles) {
        List<Node> parsed = new ArrayList<>();
        for (int at = 0; at < properties.nodes().size(); at++) {
            parsed.add(NodeUri.parse(at, properties.nodes().get(at), properties.username(), properties.password()));
        }
        this.nodes = List.copyOf(parsed);
        this.sslBundle = bundle(properties.ssl().bundle(), bundles);
    }

    private static @Nullable SslBundle bundle(@Nullable String name, @Nullable SslBundles bundles) {
        if (name == null) {
            return null;
        }
        if (bundles == null) {
            throw new IllegalArgumentException("distributed-lock.redlock.ssl.bundle is \"" + name
                    + "\", but there are no SSL bundles: define spring.ssl.bundle.*");
        }
        return bundles.getBundle(name);
    }

    @Override
    public List<Node> getNodes() {
        return nodes;
    }

    @Override
    public @Nullable SslBundle getSslBundle() {
        return sslBundle;
    }
}
