package io.distlock.zookeeper.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.test.process.TestCertificate;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.util.Collections;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

/** What of a bundle reaches ZooKeeper's client, by its settings and the files that they name. */
class SslStoresTests {

    private static final TestCertificate CERTIFICATE = TestCertificate.shared();

    /** A store whose one key has this password. */
    private static KeyStore keyStore(String keyPassword) throws Exception {
        PemSslStoreDetails pem = PemSslStoreDetails.forCertificate("file:" + CERTIFICATE.certificate())
                .withPrivateKey("file:" + CERTIFICATE.key());
        KeyStore from = new PemSslStoreBundle(pem, null).getKeyStore();
        String alias = from.aliases().nextElement();
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        Key key = from.getKey(alias, new char[0]);
        store.setKeyEntry(alias, key, keyPassword.toCharArray(), from.getCertificateChain(alias));
        return store;
    }

    private static SslBundle bundle(KeyStore keys, String storePassword, @Nullable String keyPassword) {
        return SslBundle.of(SslStoreBundle.of(keys, storePassword, null), SslBundleKey.of(keyPassword));
    }

    private static void assertHoldsTheKey(SslBundle bundle) throws Exception {
        try (SslStores stores = SslStores.of(bundle)) {
            ZKClientConfig client = stores.client();
            char[] password =
                    client.getProperty("zookeeper.ssl.keyStore.password").toCharArray();
            KeyStore copy = KeyStore.getInstance(client.getProperty("zookeeper.ssl.keyStore.type"));
            try (InputStream file =
                    Files.newInputStream(Path.of(client.getProperty("zookeeper.ssl.keyStore.location")))) {
                copy.load(file, password);
            }
            assertThat(Collections.list(copy.aliases()))
                    .singleElement()
                    .satisfies(alias -> assertThat(copy.getKey(alias, password)).isNotNull());
        }
    }

    @Test
    void aKeyIsReadByItsOwnPassword() throws Exception {
        assertHoldsTheKey(bundle(keyStore("of the key"), "of the store", "of the key"));
    }

    @Test
    void aKeyWithoutAPasswordOfItsOwnIsReadByThatOfItsStore() throws Exception {
        assertHoldsTheKey(bundle(keyStore("of the store"), "of the store", null));
    }

    @Test
    void protocolsAndCiphersAreThoseOfTheBundle() {
        SslBundle bundle = SslBundle.of(
                SslStoreBundle.NONE,
                SslBundleKey.NONE,
                SslOptions.of(
                        new String[] {"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"},
                        new String[] {"TLSv1.3", "TLSv1.2"}));
        try (SslStores stores = SslStores.of(bundle)) {
            assertThat(stores.client().getProperty("zookeeper.ssl.enabledProtocols"))
                    .isEqualTo("TLSv1.3,TLSv1.2");
            assertThat(stores.client().getProperty("zookeeper.ssl.ciphersuites"))
                    .isEqualTo("TLS_AES_128_GCM_SHA256,TLS_AES_256_GCM_SHA384");
        }
    }
}
