package io.distlock.test.etcd;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A small client that looks into a server on a test's behalf, by way of etcd's JSON gateway and its metrics. It waits at
 * most twenty seconds for a reply and needs not be closed.
 *
 * <p>Safe for use by several threads.
 */
public final class EtcdProbe {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration QUICK = Duration.ofSeconds(3);
    private static final String ALL = "\0";

    private final EtcdGateway gateway;

    private EtcdProbe(EtcdGateway gateway) {
        this.gateway = gateway;
    }

    /**
     * Makes one; it connects when it is asked something, and logs in when the server wants it to.
     *
     * @param endpoint the server
     * @return a probe
     */
    public static EtcdProbe of(EtcdEndpoint endpoint) {
        return new EtcdProbe(new EtcdGateway(endpoint));
    }

    /**
     * A key's entry.
     *
     * @param key the key
     * @return the entry, or empty if there is no such key
     */
    public Optional<EtcdEntry> get(String key) {
        return range(Map.of("key", base64(key))).stream().findFirst();
    }

    /**
     * All entries whose keys begin so.
     *
     * @param prefix what they begin with; empty for all there are
     * @return the entries, the oldest first
     */
    public List<EtcdEntry> entries(String prefix) {
        Map<String, Object> fields = new HashMap<>(prefixed(prefix));
        fields.put("sort_target", "CREATE");
        fields.put("sort_order", "ASCEND");
        return range(fields);
    }

    /**
     * The keys of {@link #entries(String)}.
     *
     * @param prefix what they begin with; empty for all there are
     * @return the keys, the oldest first
     */
    public List<String> keys(String prefix) {
        return entries(prefix).stream().map(EtcdEntry::key).toList();
    }

    /**
     * Puts a key that ends with no lease.
     *
     * @param key the key
     * @param value its value
     * @return the revision at which it is there
     */
    public long put(String key, String value) {
        return put(key, value, 0);
    }

    /**
     * Puts a key that ends with a lease.
     *
     * @param key the key
     * @param value its value
     * @param lease the lease's id
     * @return the revision at which it is there
     */
    public long put(String key, String value, long lease) {
        Map<String, Object> fields = Map.of("key", base64(key), "value", base64(value), "lease", lease);
        return revision(gateway.call(GatewayCall.PUT, fields));
    }

    /**
     * Deletes a key.
     *
     * @param key the key
     * @return whether there was one
     */
    public boolean delete(String key) {
        return gateway.call(GatewayCall.DELETE, Map.of("key", base64(key))).number("deleted") > 0;
    }

    /**
     * Deletes all keys that begin so.
     *
     * @param prefix what they begin with; empty for all there are
     * @return how many there were
     */
    public long deleteAll(String prefix) {
        return gateway.call(GatewayCall.DELETE, prefixed(prefix)).number("deleted");
    }

    /**
     * Grants a lease.
     *
     * @param ttl how long it lives, in full seconds
     * @return its id
     */
    public long grant(Duration ttl) {
        return gateway.call(GatewayCall.GRANT, Map.of("TTL", ttl.toSeconds())).number("ID");
    }

    /**
     * Keeps a lease alive: it has its full time to live from now.
     *
     * @param lease the lease's id
     * @return the time to live; zero if there is no such lease
     */
    public Duration keepAlive(long lease) {
        GatewayReply reply = gateway.call(GatewayCall.KEEP_ALIVE, Map.of("ID", lease));
        return Duration.ofSeconds(reply.object("result").number("TTL"));
    }

    /**
     * Ends a lease and its keys.
     *
     * @param lease the lease's id
     */
    public void revoke(long lease) {
        gateway.call(GatewayCall.REVOKE, Map.of("ID", lease));
    }

    /**
     * The leases that have not ended.
     *
     * @return their ids
     */
    public Set<Long> leases() {
        return gateway.call(GatewayCall.LEASES, Map.of()).items("leases").stream()
                .map(each -> each.number("ID"))
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * A lease and its keys.
     *
     * @param lease the lease's id
     * @return the lease, or empty if there is none or it has ended
     */
    public Optional<EtcdLease> lease(long lease) {
        GatewayReply reply = gateway.call(GatewayCall.TIME_TO_LIVE, Map.of("ID", lease, "keys", true));
        return Optional.of(EtcdLease.of(reply)).filter(it -> !it.granted().isZero());
    }

    /**
     * The newest revision.
     *
     * @return the revision
     */
    public long revision() {
        return revision(gateway.call(GatewayCall.RANGE, Map.of("key", base64(ALL), "count_only", true)));
    }

    /**
     * Throws away what was before a revision: watches that want to begin there are refused.
     *
     * @param revision the oldest revision to keep
     */
    public void compact(long revision) {
        gateway.call(GatewayCall.COMPACT, Map.of("revision", revision));
    }

    /**
     * What the member knows of itself and its cluster.
     *
     * @return the status
     */
    public EtcdStatus status() {
        return EtcdStatus.of(gateway.call(GatewayCall.STATUS, Map.of(), QUICK));
    }

    /**
     * The RPCs that clients have sent to this server since it started, but for this probe's own.
     *
     * @return the counts
     */
    public EtcdRpcs rpcs() {
        return metrics().rpcs().since(gateway.own().counts());
    }

    /**
     * The watches that this server serves.
     *
     * @return the counts
     */
    public EtcdWatches watches() {
        return EtcdWatches.of(metrics());
    }

    /**
     * One of the server's metrics.
     *
     * @param series its name, with its labels if it has any, as on the page
     * @return the value; zero if there is none of that name
     */
    public double metric(String series) {
        return metrics().value(series);
    }

    /**
     * Whether the server can read and write, as far as it knows: it has a leader and the leader a majority.
     *
     * @return false if not, or if it does not answer within a second
     */
    public boolean isHealthy() {
        try {
            return gateway.page("/health", QUICK)
                    .filter(page -> GatewayReply.parse(page).text("health").equals("true"))
                    .isPresent();
        } catch (UncheckedIOException notThere) {
            return false;
        }
    }

    /** Deletes all keys and ends all leases. */
    public void clear() {
        deleteAll("");
        leases().forEach(this::revokeIfPresent);
    }

    /** The lease may have ended since it was listed. */
    private void revokeIfPresent(long lease) {
        try {
            revoke(lease);
        } catch (EtcdErrorException failure) {
            if (leases().contains(lease)) {
                throw failure;
            }
        }
    }

    /** To be asked of the leader. */
    void moveLeaderTo(long memberId) {
        gateway.call(GatewayCall.MOVE_LEADER, Map.of("targetID", Long.toUnsignedString(memberId)));
    }

    boolean knows(String memberName) {
        return gateway.call(GatewayCall.MEMBERS, Map.of()).items("members").stream()
                .anyMatch(each -> each.text("name").equals(memberName));
    }

    void turnAuthenticationOn(EtcdCredentials root) {
        gateway.call(GatewayCall.USER_ADD, Map.of("name", root.user(), "password", root.password()));
        gateway.call(GatewayCall.USER_GRANT_ROLE, Map.of("user", root.user(), "role", root.user()));
        gateway.call(GatewayCall.AUTH_ENABLE, Map.of());
    }

    private List<EtcdEntry> range(Map<String, Object> fields) {
        return gateway.call(GatewayCall.RANGE, fields).items("kvs").stream()
                .map(EtcdEntry::of)
                .toList();
    }

    private EtcdMetrics metrics() {
        return gateway.page("/metrics", TIMEOUT)
                .map(EtcdMetrics::parse)
                .orElseThrow(() -> new IllegalStateException("the server has no page of metrics"));
    }

    private static long revision(GatewayReply reply) {
        return reply.object("header").number("revision");
    }

    /** From the prefix to the first key that does not begin so. No UTF-8 ends with a byte that cannot be incremented. */
    private static Map<String, Object> prefixed(String prefix) {
        if (prefix.isEmpty()) {
            return Map.of("key", base64(ALL), "range_end", base64(ALL));
        }
        byte[] end = prefix.getBytes(StandardCharsets.UTF_8);
        end[end.length - 1]++;
        return Map.of("key", base64(prefix), "range_end", Base64.getEncoder().encodeToString(end));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
