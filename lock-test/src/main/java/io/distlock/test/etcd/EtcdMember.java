package io.distlock.test.etcd;

import java.net.URI;
import java.util.List;
import java.util.UUID;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

/**
 * Who a server is.
 *
 * @param name no other server's, so that a stranger's on our port is not taken for ours
 * @param endpoint where clients find it
 * @param peerPort where the other members find it
 */
record EtcdMember(String name, EtcdEndpoint endpoint, int peerPort) {

    private static final String LOOPBACK = "127.0.0.1";

    static List<EtcdMember> of(EtcdServerOptions options, int size, IntSupplier ports) {
        int[] all = IntStream.generate(ports).distinct().limit(2L * size).toArray();
        return IntStream.range(0, size)
                .mapToObj(i -> new EtcdMember(
                        "node%d-%s".formatted(i, UUID.randomUUID()),
                        new EtcdEndpoint(LOOPBACK, all[2 * i], options.credentials(), options.tls()),
                        all[2 * i + 1]))
                .toList();
    }

    URI peerUri() {
        return URI.create("http://%s:%d".formatted(endpoint.host(), peerPort));
    }
}
