package io.distlock.test.etcd;

import static java.util.stream.Collectors.joining;

import io.distlock.test.process.TestCertificate;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes the text of etcd's configuration file. With a file etcd takes no notice of the {@code ETCD_} variables of this
 * process' environment, and passes over settings that came with a later version.
 */
final class EtcdConfig {

    private EtcdConfig() {}

    static List<String> lines(EtcdServerOptions options, EtcdMember self, List<EtcdMember> all, Path data) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("name", quoted(self.name()));
        settings.put("data-dir", quoted(data));
        settings.put("listen-client-urls", quoted(self.endpoint().uri()));
        settings.put("advertise-client-urls", quoted(self.endpoint().uri()));
        settings.put("listen-peer-urls", quoted(self.peerListener()));
        settings.put("initial-advertise-peer-urls", quoted(self.peerUri()));
        settings.put(
                "initial-cluster", quoted(all.stream().map(EtcdConfig::peer).collect(joining(","))));
        settings.put("initial-cluster-token", quoted(all.get(0).name()));
        settings.put("logger", "zap");
        settings.put("log-level", "error");
        settings.put("log-outputs", "[stderr]");
        // The default, but not of 3.4 when it reads a file.
        settings.put("enable-grpc-gateway", "true");
        settings.put("unsafe-no-fsync", "true");
        // The least there is: logging in is not what tests wait for.
        settings.put("bcrypt-cost", "4");
        self.endpoint()
                .certificate()
                .ifPresent(it -> settings.put(
                        "client-transport-security", tls(it, self.endpoint().tls())));
        settings.putAll(options.settings());
        return settings.entrySet().stream()
                .map(each -> each.getKey() + ": " + each.getValue())
                .toList();
    }

    private static String tls(TestCertificate certificate, EtcdTls tls) {
        String server =
                "cert-file: %s, key-file: %s".formatted(quoted(certificate.certificate()), quoted(certificate.key()));
        // A server that is told whom to trust asks for certificates whether client-cert-auth is on or not.
        String clients = ", client-cert-auth: true, trusted-ca-file: " + quoted(certificate.certificate());
        return "{" + server + (tls == EtcdTls.MUTUAL ? clients : "") + "}";
    }

    private static String peer(EtcdMember member) {
        return member.name() + "=" + member.peerUri();
    }

    private static String quoted(Object value) {
        return "'" + value.toString().replace("'", "''") + "'";
    }
}
