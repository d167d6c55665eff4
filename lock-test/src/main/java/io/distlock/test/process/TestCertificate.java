package io.distlock.test.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A self-signed certificate for {@code localhost} and 127.0.0.1, valid for two days.
 *
 * @param certificate the certificate as a PEM file; being self-signed, it is also what a client has to trust
 * @param key its private key as a PEM file
 */
public record TestCertificate(Path certificate, Path key) {

    /**
     * This JVM's certificate, made when first asked for. All servers share it, so that they trust each other.
     *
     * @return always the same
     */
    public static TestCertificate shared() {
        return Shared.CERTIFICATE;
    }

    /**
     * Settings for a client that trusts this certificate and no other.
     *
     * @return a context to make sockets from
     */
    public SSLContext clientContext() {
        try (InputStream pem = Files.newInputStream(certificate)) {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry(
                    "test", CertificateFactory.getInstance("X.509").generateCertificate(pem));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Shared {

        static final TestCertificate CERTIFICATE = Keytool.makeCertificate();
    }
}
