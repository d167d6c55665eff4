package io.distlock.test.redis;

import io.distlock.test.process.TestCertificate;
import java.net.URI;
import java.util.Optional;

/**
 * All that a client has to know to talk to a server.
 *
 * @param host the host
 * @param port the port
 * @param credentials what to log in with; empty if the server does not ask
 * @param certificate the certificate to trust; empty if the server speaks plain text
 */
public record RedisEndpoint(
        String host, int port, Optional<RedisCredentials> credentials, Optional<TestCertificate> certificate) {

    /**
     * The same server behind another port of the same host: behind a proxy.
     *
     * @param other the port
     * @return the endpoint
     */
    public RedisEndpoint withPort(int other) {
        return new RedisEndpoint(host, other, credentials, certificate);
    }

    /**
     * The form that Redis clients take: {@code redis://user:password@host:port}, or {@code rediss://} for TLS.
     *
     * @return the URI
     */
    public URI uri() {
        String scheme = certificate.isPresent() ? "rediss" : "redis";
        String login = credentials
                .map(each -> each.user().orElse("") + ":" + each.password() + "@")
                .orElse("");
        return URI.create("%s://%s%s:%d".formatted(scheme, login, host, port));
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
