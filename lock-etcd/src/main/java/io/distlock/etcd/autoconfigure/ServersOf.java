package io.distlock.etcd.autoconfigure;

import io.distlock.etcd.EtcdServers;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;

/** Puts together how to connect. */
final class ServersOf {

    private ServersOf() {}

    /**
     * @param all one or more
     */
    static EtcdServers servers(List<EtcdConnectionDetails> all, EtcdLockProperties properties) {
        EtcdConnectionDetails first = all.get(0);
        return new EtcdServers(
                all.stream().flatMap(details -> details.getEndpoints().stream()).toList(),
                Optional.ofNullable(first.getUser()),
                Optional.ofNullable(first.getPassword()),
                Optional.ofNullable(first.getSslBundle()).map(ServersOf::tls),
                Optional.ofNullable(properties.authority()),
                Optional.ofNullable(properties.namespace()),
                properties.connectTimeout());
    }

    private static SslContext tls(SslBundle bundle) {
        SslOptions options = bundle.getOptions();
        SslContextBuilder builder = GrpcSslContexts.forClient()
                .keyManager(bundle.getManagers().getKeyManagerFactory())
                .trustManager(bundle.getManagers().getTrustManagerFactory());
        if (options.getEnabledProtocols() != null) {
            builder.protocols(options.getEnabledProtocols());
        }
        if (options.getCiphers() != null) {
            builder.ciphers(List.of(options.getCiphers()));
        }
        try {
            return builder.build();
        } catch (SSLException failure) {
            throw new IllegalStateException("the SSL bundle for etcd cannot be used: " + failure.getMessage(), failure);
        }
    }
}
