package io.distlock.etcd;

import io.distlock.spi.ProviderStatus;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.options.GetOption;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** How etcd is, for health checks; warns once of servers that may take locks from those who hold them. Thread-safe. */
final class EtcdHealth {

    private final EtcdCalls calls;
    private final ByteSequence anyKey;
    private final ServerVersions versions;
    private final VersionWarning warning = new VersionWarning();

    EtcdHealth(EtcdCalls calls, EtcdKeys keys, ServerVersions versions) {
        this.calls = calls;
        this.anyKey = keys.root();
        this.versions = versions;
    }

    /** As {@link io.distlock.spi.LockProvider#check}: a read that is answered only if a majority of members is there. */
    CompletableFuture<ProviderStatus> check() {
        return calls.get(anyKey, GetOption.builder().withCountOnly(true).build())
                .thenCompose(found -> versions.ask())
                .thenApply(this::up)
                .exceptionally(EtcdHealth::down);
    }

    private ProviderStatus up(NavigableSet<ServerVersion> known) {
        warning.lookAt(known);
        Map<String, Object> details = new TreeMap<>();
        if (!known.isEmpty()) {
            details.put("version", known.stream().map(ServerVersion::toString).toList());
        }
        return new ProviderStatus(ProviderStatus.State.UP, details);
    }

    private static ProviderStatus down(Throwable failure) {
        String why = CallFailure.of("a read", failure).getMessage();
        return new ProviderStatus(ProviderStatus.State.DOWN, Map.of("error", why == null ? "no answer" : why));
    }
}
