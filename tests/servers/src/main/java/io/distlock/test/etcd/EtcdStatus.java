package io.distlock.test.etcd;

/**
 * What a member knows of itself and its cluster; it answers without asking the others.
 *
 * @param version the version of the program
 * @param member its own id
 * @param leader the id of the leader it follows; zero if it knows none
 * @param term how many elections there have been, as far as it knows
 * @param revision the last revision it has applied
 * @param dbSize how large its database is on disk, in bytes
 */
public record EtcdStatus(String version, long member, long leader, long term, long revision, long dbSize) {

    /**
     * Whether it takes itself for the leader. A leader that was frozen does so until it hears of the new one.
     *
     * @return true if it does
     */
    public boolean isLeader() {
        return member == leader;
    }

    static EtcdStatus of(GatewayReply reply) {
        GatewayReply header = reply.object("header");
        return new EtcdStatus(
                reply.text("version"),
                id(header.text("member_id")),
                id(reply.text("leader")),
                header.number("raft_term"),
                header.number("revision"),
                reply.number("dbSize"));
    }

    private static long id(String text) {
        return text.isEmpty() ? 0 : Long.parseUnsignedLong(text);
    }
}
