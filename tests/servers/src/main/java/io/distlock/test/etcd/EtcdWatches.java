package io.distlock.test.etcd;

/**
 * What watches a server serves. Only watches at that server count, not those at other members.
 *
 * @param streams the streams; a client may put many watches into one
 * @param watchers the watches
 * @param unsynced those of the watches that are behind, for they began in the past or their client is slow
 */
public record EtcdWatches(long streams, long watchers, long unsynced) {

    static EtcdWatches of(EtcdMetrics metrics) {
        return new EtcdWatches(
                (long) metrics.value("etcd_debugging_mvcc_watch_stream_total"),
                (long) metrics.value("etcd_debugging_mvcc_watcher_total"),
                (long) metrics.value("etcd_debugging_mvcc_slow_watcher_total"));
    }
}
