package io.distlock.redis.autoconfigure;

import io.distlock.redis.autoconfigure.RedlockConnectionDetails.Node;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Connection settings, as connection factories that are never started and never beans. */
final class NodeFactories {

    private NodeFactories() {}

    static Stream<LettuceConnectionFactory> of(RedlockConnectionDetails details) {
        return details.getNodes().stream()
                .map(node -> new LettuceConnectionFactory(server(node), client(node, details.getSslBundle())));
    }

    private static RedisStandaloneConfiguration server(Node node) {
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(node.host(), node.port());
        server.setUsername(node.username());
        server.setPassword(RedisPassword.of(node.password()));
        server.setDatabase(node.database());
        return server;
    }

    private static LettuceClientConfiguration client(Node node, @Nullable SslBundle bundle) {
        if (!node.tls() && bundle != null) {
            throw new IllegalArgumentException("Redlock node " + node + " does not use TLS, although an SSL bundle"
                    + " is set: write rediss:// instead of redis://, or remove the bundle");
        }
        var client = LettuceClientConfiguration.builder();
        if (bundle != null) {
            client.clientOptions(ClientOptions.builder().sslOptions(ssl(bundle)).build());
        }
        return node.tls() ? client.useSsl().build() : client.build();
    }

    private static SslOptions ssl(SslBundle bundle) {
        SslOptions.Builder ssl = SslOptions.builder()
                .keyManager(bundle.getManagers().getKeyManagerFactory())
                .trustManager(bundle.getManagers().getTrustManagerFactory());
        PropertyMapper map = PropertyMapper.get();
        map.from(bundle.getOptions()::getCiphers).to(ssl::cipherSuites);
        map.from(bundle.getOptions()::getEnabledProtocols).to(ssl::protocols);
        return ssl.build();
    }
}
