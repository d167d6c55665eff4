package io.distlock.test.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

class TestCertificateTests {

    @Test
    void isMadeOnce() {
        assertThat(TestCertificate.shared()).isSameAs(TestCertificate.shared());
    }

    @Test
    void isForLoopback() throws Exception {
        Collection<List<?>> names = certificate().getSubjectAlternativeNames();

        assertThat(names).extracting(name -> (Object) name.get(1)).containsExactlyInAnyOrder("localhost", "127.0.0.1");
    }

    private static X509Certificate certificate() throws Exception {
        try (InputStream pem = Files.newInputStream(TestCertificate.shared().certificate())) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(pem);
        }
    }
}
