package io.distlock.test.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

class TestCertificateTests {

    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    @Test
    void isMadeOnce() {
        assertThat(TestCertificate.shared()).isSameAs(TestCertificate.shared());
    }

    @Test
    void isForLoopback() throws Exception {
        Collection<List<?>> names = certificate().getSubjectAlternativeNames();

        assertThat(names).extracting(name -> (Object) name.get(1)).containsExactlyInAnyOrder("localhost", "127.0.0.1");
    }

    @Test
    void namesNoUser() throws Exception {
        assertThat(certificate().getSubjectX500Principal().getName()).doesNotContain("CN=");
    }

    @Test
    void isShownToAServerThatAsksForIt() throws Exception {
        TestCertificate certificate = TestCertificate.shared();
        SSLContext context = certificate.mutualClientContext();
        try (SSLServerSocket server =
                        (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 1, LOOPBACK);
                SSLSocket client =
                        (SSLSocket) context.getSocketFactory().createSocket(LOOPBACK, server.getLocalPort())) {
            server.setNeedClientAuth(true);
            CompletableFuture<Void> handshake = CompletableFuture.runAsync(() -> shakeHands(client));
            try (SSLSocket accepted = (SSLSocket) server.accept()) {
                shakeHands(accepted);
                handshake.join();

                assertThat(accepted.getSession().getPeerCertificates()).containsExactly(certificate());
            }
        }
    }

    private static void shakeHands(SSLSocket socket) {
        try {
            socket.startHandshake();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static X509Certificate certificate() throws Exception {
        try (InputStream pem = Files.newInputStream(TestCertificate.shared().certificate())) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(pem);
        }
    }
}
