package io.distlock.test.etcd;

/**
 * A key and what it holds.
 *
 * @param key the key, as UTF-8
 * @param value the value, as UTF-8
 * @param createRevision the revision at which the key came to be
 * @param modRevision the revision of the last change
 * @param version how often it was changed since it came to be, from one
 * @param lease the lease it ends with; zero if with none
 */
public record EtcdEntry(String key, String value, long createRevision, long modRevision, long version, long lease) {

    static EtcdEntry of(GatewayReply reply) {
        return new EtcdEntry(
                reply.bytes("key"),
                reply.bytes("value"),
                reply.number("create_revision"),
                reply.number("mod_revision"),
                reply.number("version"),
                reply.number("lease"));
    }
}
