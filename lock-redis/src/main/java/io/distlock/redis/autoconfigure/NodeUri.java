package io.distlock.redis.autoconfigure;

import io.distlock.redis.autoconfigure.RedlockConnectionDetails.Node;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/**
 * Reads {@code redis://user:password@host:port/database}, or {@code rediss://} for TLS. Says what is wrong without the
 * text, which may hold a password.
 */
final class NodeUri {

    private static final String PREFIX = "distributed-lock.redlock.nodes";
    private static final int DEFAULT_PORT = 6379;

    private final int index;
    private final URI uri;

    private NodeUri(int index, URI uri) {
        this.index = index;
        this.uri = uri;
    }

    /**
     * @param username if the URI has none
     * @param password if the URI has none
     */
    static Node parse(int index, String text, @Nullable String username, @Nullable String password) {
        NodeUri node = new NodeUri(index, uri(index, text));
        String user = node.user();
        String secret = node.password();
        return new Node(
                node.host(),
                node.uri.getPort() == -1 ? DEFAULT_PORT : node.uri.getPort(),
                secret == null ? username : user,
                secret == null ? password : secret,
                node.database(),
                node.tls());
    }

    private static URI uri(int index, String text) {
        try {
            return new URI(text.strip());
        } catch (URISyntaxException withTheText) {
            throw broken(index, "is no URI", "write redis://user:password@host:port, with any of @ : / # ? % in the"
                    + " password percent-encoded, or give the password in distributed-lock.redlock.password");
        }
    }

    private String host() {
        if (!StringUtils.hasText(uri.getHost())) {
            throw broken(index, "names no host", "write redis://host:port");
        }
        return uri.getHost();
    }

    private boolean tls() {
        String scheme = String.valueOf(uri.getScheme());
        return switch (scheme) {
            case "redis" -> false;
            case "rediss" -> true;
            default ->
                throw broken(
                        index,
                        "begins neither with redis:// nor with rediss://",
                        "a node of Redlock is one server that stands alone; use rediss:// for TLS");
        };
    }

    private int database() {
        String path = uri.getRawPath() == null ? "" : uri.getRawPath();
        if (uri.getRawQuery() != null || uri.getRawFragment() != null || !path.matches("/?|/[0-9]{1,5}")) {
            throw broken(
                    index, "has something behind the port that is no database", "write redis://host:port/0, or no database");
        }
        return path.length() <= 1 ? 0 : Integer.parseInt(path.substring(1));
    }

    private @Nullable String user() {
        String[] parts = userInfo();
        return parts.length == 2 && !parts[0].isEmpty() ? parts[0] : null;
    }

    private @Nullable String password() {
        String[] parts = userInfo();
        return parts.length == 0 ? null : parts[parts.length - 1];
    }

    private String[] userInfo() {
        String info = uri.getRawUserInfo();
        if (info == null || info.isEmpty()) {
            return new String[0];
        }
        String[] parts = info.split(":", 2);
        for (int at = 0; at < parts.length; at++) {
            // In this part of a URI a plus sign stands for itself.
            parts[at] = URLDecoder.decode(parts[at].replace("+", "%2B"), StandardCharsets.UTF_8);
        }
        return parts;
    }

    private static IllegalArgumentException broken(int index, String what, String cure) {
        return new IllegalArgumentException(
                PREFIX + '[' + index + "] " + what + " (not shown, it may hold a password): " + cure);
    }
}
