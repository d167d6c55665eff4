package io.distlock.etcd;

import io.distlock.etcd.client.ClusterMembers;
import io.distlock.etcd.client.EtcdCallException;
import io.distlock.etcd.client.EtcdCalls;
import io.distlock.etcd.client.ServerVersion;
import io.distlock.spi.ProviderStatus;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.options.GetOption;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** The state of etcd, for health checks; warns once about servers that may revoke held locks. Thread-safe. */
record EtcdHealth(
        EtcdCalls calls,
        ByteSequence anyKey,
        ClusterMembers members,
        SessionPool sessions,
        ServerVersion.Warning warning) {

    /** As {@link io.distlock.spi.LockProvider#check}. */
    CompletableFuture<ProviderStatus> check() {
        return ask().exceptionally(EtcdHealth::down);
    }

    /** A read that only a majority of members can answer; fails without an answer. */
    CompletableFuture<ProviderStatus> ask() {
        return calls.get(anyKey, GetOption.builder().withCountOnly(true).build())
                .thenCompose(found -> members.ask().thenCombine(members.alarms(), this::status));
    }

    private ProviderStatus status(Collection<ClusterMembers.Member> known, List<String> alarms) {
        warning.lookAt(
                known.stream().flatMap(member -> member.version().stream()).toList());
        Map<String, Object> details = new TreeMap<>();
        Map<String, Object> members = new TreeMap<>();
        known.forEach(member -> members.put(member.id(), member.toString()));
        if (!members.isEmpty()) {
            details.put("members", members);
        }
        known.stream()
                .filter(ClusterMembers.Member::leads)
                .findFirst()
                .ifPresent(leader -> details.put("leader", leader.id()));
        details.put("sessions", sessions.describe());
        if (alarms.isEmpty()) {
            return new ProviderStatus(ProviderStatus.State.UP, details);
        }
        // While an alarm is raised, etcd answers reads but refuses the writes that locks need.
        details.put("alarms", alarms);
        return new ProviderStatus(ProviderStatus.State.DOWN, details);
    }

    private static ProviderStatus down(Throwable failure) {
        String why = EtcdCallException.of("a read", failure).getMessage();
        return new ProviderStatus(ProviderStatus.State.DOWN, Map.of("error", why == null ? "no answer" : why));
    }
}
