package io.distlock.test.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EtcdMetricsTests {

    private static final String PAGE = """
            # HELP etcd_server_has_leader Whether or not a leader exists.
            # TYPE etcd_server_has_leader gauge
            etcd_server_has_leader 1
            go_memstats_alloc_bytes 3.743744e+06
            some_histogram_bucket{le="+Inf"} 7
            some_limit +Inf
            grpc_server_started_total{grpc_method="Put",grpc_service="etcdserverpb.KV",grpc_type="unary"} 3
            grpc_server_started_total{grpc_method="Range",grpc_service="etcdserverpb.KV",grpc_type="unary"} 0
            grpc_server_started_total{grpc_method="Watch",grpc_service="etcdserverpb.Watch",grpc_type="bidi_stream"} 2
            grpc_server_started_total{grpc_method="Watch",grpc_service="grpc.health.v1.Health",grpc_type="server_stream"} 9
            grpc_server_msg_received_total{grpc_method="Put",grpc_service="etcdserverpb.KV",grpc_type="unary"} 3
            grpc_server_msg_sent_total{grpc_method="Put",grpc_service="etcdserverpb.KV",grpc_type="unary"} 1
            """;

    private final EtcdMetrics metrics = EtcdMetrics.parse(PAGE);

    @Test
    void readsNumbersOfEveryKind() {
        assertThat(metrics.value("etcd_server_has_leader")).isEqualTo(1);
        assertThat(metrics.value("go_memstats_alloc_bytes")).isEqualTo(3_743_744);
        assertThat(metrics.value("some_histogram_bucket{le=\"+Inf\"}")).isEqualTo(7);
        assertThat(metrics.value("some_limit")).isInfinite();
    }

    @Test
    void countsByMethod() {
        assertThat(metrics.rpcs().started("Put")).isEqualTo(3);
        assertThat(metrics.rpcs().received("Put")).isEqualTo(3);
        assertThat(metrics.rpcs().sent("Put")).isEqualTo(1);
    }

    @Test
    void leavesOutWhatWasNotCalledAndWatchesOfHealth() {
        assertThat(metrics.rpcs().started()).containsOnlyKeys("Put", "Watch").containsEntry("Watch", 2L);
    }
}
