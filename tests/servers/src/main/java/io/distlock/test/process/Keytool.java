package io.distlock.test.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/** Makes certificates with the JDK's own tool: the JDK has no public API that signs one. */
final class Keytool {

    private static final String ALIAS = "test";
    private static final String PASSWORD = "changeit";

    private Keytool() {}

    static TestCertificate makeCertificate() {
        try {
            // Never closed: the certificate is there for as long as this JVM.
            Path store = TestFolder.create("tls").path().resolve("test.p12");
            generate(store);
            return export(store);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while keytool ran", e);
        }
    }

    private static void generate(Path store) throws IOException, InterruptedException {
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        // No CN: etcd would take it for a user's name, and its JSON gateway refuses clients that have one.
        List<String> identity = List.of("-alias", ALIAS, "-dname", "O=distlock", "-validity", "2");
        List<String> names = List.of("-ext", "san=dns:localhost,ip:127.0.0.1");
        List<String> algorithm = List.of("-keyalg", "RSA", "-keysize", "2048");
        List<String> target = List.of("-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", PASSWORD);

        ProcessBuilder builder = new ProcessBuilder(keytool, "-genkeypair").redirectErrorStream(true);
        List.of(identity, names, algorithm, target).forEach(builder.command()::addAll);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException("keytool made no certificate: " + output);
        }
    }

    private static TestCertificate export(Path store) throws GeneralSecurityException, IOException {
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        byte[] certificate = keys.getCertificate(ALIAS).getEncoded();
        byte[] key = keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded();
        return new TestCertificate(
                writePem(store.resolveSibling("test.crt"), "CERTIFICATE", certificate),
                writePem(store.resolveSibling("test.key"), "PRIVATE KEY", key));
    }

    private static Path writePem(Path file, String kind, byte[] content) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(file, "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, body, kind));
        return file;
    }
}
