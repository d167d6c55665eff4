package io.distlock.test.zookeeper;

import io.distlock.test.fault.FaultProxy;
import io.distlock.test.process.FreePort;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where a server is.
 *
 * @param id its number in the ensemble, from 1
 * @param clientPort for clients
 * @param peerPorts where it listens: for followers if it leads, and for votes; none if it stands alone
 * @param proxies through which the other members reach these
 */
record ZooKeeperMember(int id, int clientPort, List<Integer> peerPorts, List<FaultProxy> proxies) {

    static ZooKeeperMember alone() {
        return new ZooKeeperMember(1, FreePort.next(), List.of(), List.of());
    }

    static ZooKeeperMember ofEnsemble(int id) {
        List<Integer> ports = List.of(FreePort.next(), FreePort.next());
        List<FaultProxy> proxies =
                ports.stream().map(port -> FaultProxy.to("127.0.0.1", port)).toList();
        return new ZooKeeperMember(id, FreePort.next(), ports, proxies);
    }

    /** The ensemble as this member has it: it listens itself, and reaches the others through their proxies. */
    Stream<String> lines(List<ZooKeeperMember> all) {
        return all.stream().map(each -> line(each.id, each.id == id ? peerPorts : each.proxyPorts()));
    }

    private List<Integer> proxyPorts() {
        return proxies.stream().map(FaultProxy::port).toList();
    }

    private static String line(int id, List<Integer> ports) {
        return "server.%d=127.0.0.1:%d:%d".formatted(id, ports.get(0), ports.get(1));
    }
}
