package io.distlock.test.redis;

import io.distlock.test.process.TestCertificate;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Makes the text of {@code redis.conf}. */
final class RedisConfig {

    private RedisConfig() {}

    static List<String> lines(RedisServerOptions options, RedisEndpoint endpoint, Path data) {
        return Stream.of(
                        base(endpoint, data),
                        endpoint.certificate().map(each -> tls(endpoint, each)).orElse(List.of()),
                        options.credentials().map(RedisConfig::login).orElse(List.of()),
                        options.config())
                .flatMap(List::stream)
                .toList();
    }

    private static List<String> base(RedisEndpoint endpoint, Path data) {
        boolean plain = endpoint.certificate().isEmpty();
        return List.of(
                "bind " + endpoint.host(),
                "port " + (plain ? endpoint.port() : 0),
                "dir \"%s\"".formatted(data),
                "save \"\"",
                "appendonly no",
                "daemonize no",
                // A replica is to be of use at once, not after the five seconds that a master collects others for.
                "repl-diskless-sync-delay 0");
    }

    private static List<String> tls(RedisEndpoint endpoint, TestCertificate certificate) {
        return List.of(
                "tls-port " + endpoint.port(),
                "tls-cert-file \"%s\"".formatted(certificate.certificate()),
                "tls-key-file \"%s\"".formatted(certificate.key()),
                "tls-ca-cert-file \"%s\"".formatted(certificate.certificate()),
                "tls-auth-clients no",
                "tls-replication yes",
                "tls-cluster yes");
    }

    /** Also what it logs in with at a master, should it become a replica. */
    private static List<String> login(RedisCredentials credentials) {
        Optional<String> user = credentials.user();
        String password = credentials.password();
        return user.isPresent()
                ? List.of(
                        "user %s on >%s ~* &* +@all".formatted(user.get(), password),
                        "user default off",
                        "masteruser " + user.get(),
                        "masterauth " + password)
                : List.of("requirepass " + password, "masterauth " + password);
    }
}
