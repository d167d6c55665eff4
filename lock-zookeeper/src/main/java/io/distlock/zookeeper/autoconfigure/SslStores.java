package io.distlock.zookeeper.autoconfigure;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.Collections;
import java.util.UUID;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.util.FileSystemUtils;

/**
 * An SSL bundle as files, since ZooKeeper's client reads its stores from nothing else, anew for each connection. Only their owner
 * can read them, and they are encrypted with a password that is only here. They are deleted on {@link #close()}.
 */
final class SslStores implements AutoCloseable {

    private static final String TYPE = "PKCS12";

    private final String password = UUID.randomUUID().toString();
    private final ZKClientConfig client = new ZKClientConfig();
    private @Nullable Path folder;

    private SslStores() {}

    /** Null stands for connections without TLS. */
    static SslStores of(@Nullable SslBundle bundle) {
        SslStores stores = new SslStores();
        if (bundle != null) {
            stores.apply(bundle);
        }
        return stores;
    }

    /** Settings that point there. */
    ZKClientConfig client() {
        return client;
    }

    private void apply(SslBundle bundle) {
        client.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
        client.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
        SslOptions options = bundle.getOptions();
        PropertyMapper present = PropertyMapper.get();
        present.from(options::getEnabledProtocols).as(SslStores::list).to(all -> set("enabledProtocols", all));
        present.from(options::getCiphers).as(SslStores::list).to(all -> set("ciphersuites", all));
        try {
            folder = Files.createTempDirectory("distlock-zookeeper");
            SslStoreBundle stores = bundle.getStores();
            String own = bundle.getKey().getPassword();
            write("keyStore", stores.getKeyStore(), own == null ? stores.getKeyStorePassword() : own);
            write("trustStore", stores.getTrustStore(), null);
        } catch (IOException | GeneralSecurityException unusable) {
            close();
            throw new IllegalArgumentException(
                    "The property distributed-lock.zookeeper.ssl.bundle cannot be used: " + unusable.getMessage()
                            + ". Correct the bundle, or name another",
                    unusable);
        }
    }

    private static String list(String[] all) {
        return String.join(",", all);
    }

    private void set(String name, String value) {
        client.setProperty("zookeeper.ssl." + name, value);
    }

    private void write(String name, @Nullable KeyStore from, @Nullable String keyPassword)
            throws IOException, GeneralSecurityException {
        if (from == null || folder == null) {
            return;
        }
        KeyStore copy = KeyStore.getInstance(TYPE);
        copy.load(null, null);
        for (String alias : Collections.list(from.aliases())) {
            if (from.isKeyEntry(alias)) {
                Key key = from.getKey(alias, keyPassword == null ? new char[0] : keyPassword.toCharArray());
                copy.setKeyEntry(alias, key, password.toCharArray(), from.getCertificateChain(alias));
            } else {
                copy.setCertificateEntry(alias, from.getCertificate(alias));
            }
        }
        Path file = folder.resolve(name + ".p12");
        try (OutputStream out = Files.newOutputStream(file)) {
            copy.store(out, password.toCharArray());
        }
        set(name + ".location", file.toString());
        set(name + ".password", password);
        set(name + ".type", TYPE);
    }

    @Override
    public void close() {
        try {
            FileSystemUtils.deleteRecursively(folder);
        } catch (IOException left) {
            // Encrypted, with a password that is gone.
        }
    }
}
