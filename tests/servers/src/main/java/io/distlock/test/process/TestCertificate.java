package io.distlock.test.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A self-signed certificate for {@code localhost} and 127.0.0.1, valid for two days.
 *
 * @param certificate the certificate as a PEM file; being self-signed, it is also what a client has to trust
 * @param key its private key as a PEM file
 */
public record TestCertificate(Path certificate, Path key) {

    private static final char[] NO_PASSWORD = {};

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
        return context(keys -> {});
    }

    /**
     * Settings for a client that shows this certificate to servers that ask, and trusts it and no other.
     *
     * @return a context to make sockets from
     */
    public SSLContext mutualClientContext() {
        return context(keys -> keys.setKeyEntry("own", readKey(), NO_PASSWORD, new Certificate[] {readCertificate()}));
    }

    private SSLContext context(Identity identity) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setCertificateEntry("trusted", readCertificate());
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            identity.addTo(store);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, NO_PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Certificate readCertificate() throws GeneralSecurityException, IOException {
        try (InputStream pem = Files.newInputStream(certificate)) {
            return CertificateFactory.getInstance("X.509").generateCertificate(pem);
        }
    }

    private PrivateKey readKey() throws GeneralSecurityException, IOException {
        String body = Files.readAllLines(key).stream()
                .filter(line -> !line.startsWith("-----"))
                .collect(Collectors.joining());
        byte[] content = Base64.getDecoder().decode(body);
        return KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(content));
    }

    private interface Identity {

        void addTo(KeyStore store) throws GeneralSecurityException, IOException;
    }

    private static final class Shared {

        static final TestCertificate CERTIFICATE = Keytool.makeCertificate();
    }
}
