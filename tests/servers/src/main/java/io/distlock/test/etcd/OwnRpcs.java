package io.distlock.test.etcd;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts the RPCs that a probe has caused itself, so that they can be told from an application's. */
final class OwnRpcs {

    private final Map<String, Long> asked = new ConcurrentHashMap<>();
    private final Map<String, Long> answered = new ConcurrentHashMap<>();

    void asked(GatewayCall call) {
        asked.merge(call.method(), 1L, Long::sum);
    }

    /** The server was not there. */
    void notAskedAfterAll(GatewayCall call) {
        asked.merge(call.method(), -1L, Long::sum);
    }

    void answered(GatewayCall call) {
        answered.merge(call.method(), 1L, Long::sum);
    }

    /** As the server's metrics show them: a call that fails is started and read, but sends no message back. */
    EtcdRpcs counts() {
        return new EtcdRpcs(asked, asked, answered);
    }
}
