package io.distlock.redis.autoconfigure;

import io.distlock.redis.autoconfigure.RedlockConnectionDetails.Node;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

/** The nodes of Redlock: reads their URIs, and makes connection factories of them. */
final class RedlockNodeSettings {

    private static final int DEFAULT_PORT = 6379;
    private static final int HIGHEST_PORT = 65_535;

    /** Looser than {@link URI#getHost()}, which rejects the underscores of names in container networks. */
    private static final Pattern AUTHORITY =
            Pattern.compile("(?:(?<info>[^@]*)@)?(?<host>\\[[0-9A-Fa-f:.%]+]|[^:@\\[\\]]+)(?::(?<port>[0-9]{1,5}))?");

    /** A password that is not encoded may end any part of the URI. */
    private static final String HOW_TO_WRITE_IT = "write redis://host:port/database or"
            + " redis://user:password@host:port/database, with each character of the password that is neither a letter nor a"
            + " digit percent-encoded; or leave both out, and set distributed-lock.redlock.username and"
            + " distributed-lock.redlock.password";

    private RedlockNodeSettings() {}

    /**
     * Reads {@code redis://user:password@host:port/database}, or {@code rediss://} for TLS. The messages leave out the URI,
     * which may contain a password.
     *
     * @param username if the URI has none
     * @param password if the URI has none
     */
    static Node parse(String text, @Nullable String username, @Nullable String password) {
        URI uri = uri(text);
        boolean tls = tls(uri);
        Matcher authority = AUTHORITY.matcher(uri.getRawAuthority() == null ? "" : uri.getRawAuthority());
        if (!authority.matches()) {
            throw broken("has no host, or an unreadable port", HOW_TO_WRITE_IT);
        }
        String[] info = userInfo(authority.group("info"));
        return new Node(
                authority.group("host"),
                port(authority.group("port")),
                info.length == 2 && !info[0].isEmpty() ? info[0] : username,
                info.length == 0 ? password : info[info.length - 1],
                database(uri),
                tls);
    }

    private static URI uri(String text) {
        try {
            return new URI(text.strip());
        } catch (URISyntaxException withTheText) {
            throw broken("is not a URI", HOW_TO_WRITE_IT);
        }
    }

    private static boolean tls(URI uri) {
        return switch (String.valueOf(uri.getScheme())) {
            case "redis" -> false;
            case "rediss" -> true;
            default ->
                throw broken(
                        "starts with neither redis:// nor rediss://",
                        "a Redlock node is a standalone server; use rediss:// for TLS");
        };
    }

    private static int port(@Nullable String text) {
        int port = text == null ? DEFAULT_PORT : Integer.parseInt(text);
        if (port < 1 || port > HIGHEST_PORT) {
            throw broken("has the port " + port, "choose one from 1 to " + HIGHEST_PORT);
        }
        return port;
    }

    private static int database(URI uri) {
        String path = uri.getRawPath() == null ? "" : uri.getRawPath();
        if (uri.getRawQuery() != null || uri.getRawFragment() != null || !path.matches("/?|/[0-9]{1,5}")) {
            throw broken("has something after the port that is not a database number", HOW_TO_WRITE_IT);
        }
        return path.length() <= 1 ? 0 : Integer.parseInt(path.substring(1));
    }

    private static String[] userInfo(@Nullable String info) {
        return info == null || info.isEmpty()
                ? new String[0]
                : Stream.of(info.split(":", 2))
                        .map(part -> StringUtils.uriDecode(part, StandardCharsets.UTF_8))
                        .toArray(String[]::new);
    }

    private static IllegalArgumentException broken(String what, String cure) {
        return new IllegalArgumentException("it " + what + " (not shown, as it may contain a password): " + cure);
    }

    /** Connection factories that are never started and never beans. */
    static Stream<LettuceConnectionFactory> factories(RedlockConnectionDetails details) {
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
