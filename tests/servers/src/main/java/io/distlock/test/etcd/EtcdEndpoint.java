package io.distlock.test.etcd;

import io.distlock.test.process.TestCertificate;
import java.net.URI;
import java.util.Optional;

/**
 * All that a client has to know to talk to a server.
 *
 * @param host the host
 * @param port the port
 * @param credentials what to log in with; empty if the server does not ask
 * @param tls whether and how the server speaks TLS
 */
public record EtcdEndpoint(String host, int port, Optional<EtcdCredentials> credentials, EtcdTls tls) {

    /**
     * The same server behind another port of the same host: behind a proxy.
     *
     * @param other the port
     * @return the endpoint
     */
    public EtcdEndpoint withPort(int other) {
        return new EtcdEndpoint(host, other, credentials, tls);
    }

    /**
     * The form that etcd clients take: {@code http://host:port}, or {@code https://} for TLS.
     *
     * @return the URI
     */
    public URI uri() {
        return URI.create("%s://%s:%d".formatted(tls == EtcdTls.OFF ? "http" : "https", host, port));
    }

    /**
     * The certificate that a client has to trust.
     *
     * @return the certificate; empty if the server speaks plain text
     */
    public Optional<TestCertificate> certificate() {
        return tls == EtcdTls.OFF ? Optional.empty() : Optional.of(TestCertificate.shared());
    }

    /**
     * The certificate that a client has to show.
     *
     * @return the certificate; empty if the server does not ask
     */
    public Optional<TestCertificate> clientCertificate() {
        return tls == EtcdTls.MUTUAL ? Optional.of(TestCertificate.shared()) : Optional.empty();
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
