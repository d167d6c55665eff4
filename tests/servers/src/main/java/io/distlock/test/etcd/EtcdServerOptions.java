package io.distlock.test.etcd;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How a server, or each member of a cluster, is to be set up. Immutable; each {@code with} method gives a changed copy.
 *
 * @param binary the program; empty for {@link EtcdBinary#find()}
 * @param settings lines for its configuration file by name; they win over ours
 * @param credentials what clients must log in with; empty for a server that does not ask
 * @param tls whether and how it speaks TLS with clients
 * @param severablePeers whether the members of a cluster reach each other through proxies, so that one can be cut off
 */
public record EtcdServerOptions(
        Optional<EtcdBinary> binary,
        Map<String, String> settings,
        Optional<EtcdCredentials> credentials,
        EtcdTls tls,
        boolean severablePeers) {

    /**
     * Checks and copies.
     *
     * @param binary the program
     * @param settings lines for its configuration file by name
     * @param credentials what clients must log in with
     * @param tls whether and how it speaks TLS
     * @param severablePeers whether the members of a cluster reach each other through proxies
     */
    public EtcdServerOptions {
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
        settings.forEach(EtcdServerOptions::requireOneLine);
    }

    /**
     * No authentication, plain text, etcd's own timings; nothing is synced to disk by versions that can do without.
     *
     * @return the options
     */
    public static EtcdServerOptions defaults() {
        return new EtcdServerOptions(Optional.empty(), Map.of(), Optional.empty(), EtcdTls.OFF, false);
    }

    /**
     * Uses that program.
     *
     * @param other the program
     * @return a changed copy
     */
    public EtcdServerOptions withBinary(EtcdBinary other) {
        return new EtcdServerOptions(Optional.of(other), settings, credentials, tls, severablePeers);
    }

    /**
     * Sets something in the configuration file. A server ignores settings that it does not know.
     *
     * @param name as on the command line, without the dashes
     * @param value as it stands in a YAML file; quote it if need be
     * @return a changed copy
     */
    public EtcdServerOptions withSetting(String name, String value) {
        Map<String, String> all = new LinkedHashMap<>(settings);
        all.put(name, value);
        return new EtcdServerOptions(binary, all, credentials, tls, severablePeers);
    }

    /**
     * Makes elections quicker or slower than etcd's default of 100 ms and 1 s.
     *
     * @param heartbeat how often a leader shows that it is there
     * @param election how long without before a follower stands for election; at least five times as long
     * @return a changed copy
     */
    public EtcdServerOptions withElection(Duration heartbeat, Duration election) {
        return withSetting("heartbeat-interval", String.valueOf(heartbeat.toMillis()))
                .withSetting("election-timeout", String.valueOf(election.toMillis()));
    }

    /**
     * Limits the size of the database: past it, writes are refused.
     *
     * @param bytes the limit
     * @return a changed copy
     */
    public EtcdServerOptions withQuota(long bytes) {
        return withSetting("quota-backend-bytes", String.valueOf(bytes));
    }

    /**
     * Compacts by itself, down to the newest revisions; it looks every five minutes.
     *
     * @param revisions how many to keep
     * @return a changed copy
     */
    public EtcdServerOptions withAutoCompaction(long revisions) {
        return withSetting("auto-compaction-mode", "revision")
                .withSetting("auto-compaction-retention", "'%d'".formatted(revisions));
    }

    /**
     * Syncs every write to disk, as in production: versions that can do without sync nothing otherwise.
     *
     * @return a changed copy
     */
    public EtcdServerOptions withSync() {
        return withSetting("unsafe-no-fsync", "false");
    }

    /**
     * Turns authentication on and asks for root and its password.
     *
     * @param password root's password
     * @return a changed copy
     */
    public EtcdServerOptions withPassword(String password) {
        return new EtcdServerOptions(
                binary, settings, Optional.of(EtcdCredentials.ofRoot(password)), tls, severablePeers);
    }

    /**
     * Speaks TLS with {@link io.distlock.test.process.TestCertificate#shared()}.
     *
     * @return a changed copy
     */
    public EtcdServerOptions withTls() {
        return new EtcdServerOptions(binary, settings, credentials, EtcdTls.SERVER, severablePeers);
    }

    /**
     * Speaks TLS and asks the client for a certificate, too:
     * {@link io.distlock.test.process.TestCertificate#shared()} will do.
     *
     * @return a changed copy
     */
    public EtcdServerOptions withMutualTls() {
        return new EtcdServerOptions(binary, settings, credentials, EtcdTls.MUTUAL, severablePeers);
    }

    /**
     * Lets the members of a cluster reach each other through proxies: see {@link EtcdCluster#cutOff}.
     *
     * @return a changed copy
     */
    public EtcdServerOptions withSeverablePeers() {
        return new EtcdServerOptions(binary, settings, credentials, tls, true);
    }

    private static void requireOneLine(String name, String value) {
        if (name.isBlank() || value.isBlank() || (name + value).lines().count() != 1) {
            throw new IllegalArgumentException("'%s: %s' is not one line of configuration".formatted(name, value));
        }
    }
}
