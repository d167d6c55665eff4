package io.distlock.test.etcd;

import io.distlock.test.process.FreePort;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/** Starts servers that form a cluster, be it of one. */
final class EtcdFormation {

    private static final int TRIES = 10;

    private EtcdFormation() {}

    static List<EtcdServer> form(EtcdServerOptions options, int size) {
        return form(options, size, FreePort::next);
    }

    static List<EtcdServer> form(EtcdServerOptions options, int size, IntSupplier ports) {
        EtcdServerOptions found = options.withBinary(options.binary().orElseGet(EtcdBinary::find));
        for (int i = 1; ; i++) {
            try {
                return formOnce(found, EtcdMember.of(options, size, ports));
            } catch (EtcdStartException e) {
                if (!e.isPortTaken() || i == TRIES) {
                    throw e;
                }
            }
        }
    }

    private static List<EtcdServer> formOnce(EtcdServerOptions options, List<EtcdMember> members) {
        List<EtcdServer> servers = new ArrayList<>();
        try {
            members.forEach(each -> servers.add(EtcdServer.launched(options, each, members)));
            servers.forEach(EtcdServer::awaitHealthy);
            options.credentials().ifPresent(servers.get(0).probe()::turnAuthenticationOn);
            return List.copyOf(servers);
        } catch (RuntimeException e) {
            servers.forEach(EtcdServer::close);
            members.forEach(EtcdMember::closeProxy);
            throw e;
        }
    }
}
