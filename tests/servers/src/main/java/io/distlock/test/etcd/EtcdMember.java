package io.distlock.test.etcd;

import io.distlock.test.fault.FaultProxy;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

/**
 * Who a server is.
 *
 * @param name no other server's, so that a stranger's on our port is not taken for ours
 * @param endpoint where clients find it
 * @param peerPort where it listens to the other members
 * @param peerProxy through which the others reach it; empty if they do so directly
 */
record EtcdMember(String name, EtcdEndpoint endpoint, int peerPort, Optional<FaultProxy> peerProxy) {

    private static final String LOOPBACK = "127.0.0.1";

    static List<EtcdMember> of(EtcdServerOptions options, int size, IntSupplier ports) {
        int[] all = IntStream.generate(ports).distinct().limit(2L * size).toArray();
        return IntStream.range(0, size)
                .mapToObj(i -> new EtcdMember(
                        "node%d-%s".formatted(i, UUID.randomUUID()),
                        new EtcdEndpoint(LOOPBACK, all[2 * i], options.credentials(), options.tls()),
                        all[2 * i + 1],
                        options.severablePeers()
                                ? Optional.of(FaultProxy.to(LOOPBACK, all[2 * i + 1]))
                                : Optional.empty()))
                .toList();
    }

    /** Where it listens to the other members. */
    URI peerListener() {
        return peerUri(peerPort);
    }

    /** Where the other members find it. */
    URI peerUri() {
        return peerUri(peerProxy.map(FaultProxy::port).orElse(peerPort));
    }

    private URI peerUri(int port) {
        return URI.create("http://%s:%d".formatted(endpoint.host(), port));
    }

    /** Ends the proxy, if there is one. */
    void closeProxy() {
        peerProxy.ifPresent(FaultProxy::close);
    }
}
