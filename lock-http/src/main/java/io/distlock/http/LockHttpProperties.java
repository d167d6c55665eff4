package io.distlock.http;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Locks across HTTP. Not a record: its text would show the secret. */
@ConfigurationProperties("distributed-lock.http")
final class LockHttpProperties {

    /**
     * Signs sequencers, so that receivers do not have to ask the lock store. At least 32 characters; the same for senders and
     * receivers.
     */
    private final Optional<String> secret;

    /**
     * Further secrets whose signatures a receiver accepts, while you change the secret. Nothing is signed with them. At least 32
     * characters each.
     */
    private final List<String> acceptedSecrets;

    private final Client client;
    private final Server server;

    LockHttpProperties(
            @Nullable String secret,
            @DefaultValue List<String> acceptedSecrets,
            @DefaultValue Client client,
            @DefaultValue Server server) {
        this.secret = Optional.ofNullable(secret).filter(text -> !text.isEmpty());
        this.acceptedSecrets = acceptedSecrets;
        this.client = client;
        this.server = server;
    }

    SequencerHeader header() {
        if (secret.isEmpty() && !acceptedSecrets.isEmpty()) {
            throw new IllegalArgumentException(
                    "distributed-lock.http.accepted-secrets needs distributed-lock.http.secret: without it, nothing is signed");
        }
        try {
            return new SequencerHeader(
                    Stream.concat(secret.stream(), acceptedSecrets.stream()).toList());
        } catch (IllegalArgumentException wrong) {
            // If Boot knew the property's name, it would show its value.
            throw new IllegalArgumentException(
                    "distributed-lock.http.secret or accepted-secrets: " + wrong.getMessage());
        }
    }

    TargetHosts hosts() {
        try {
            return TargetHosts.of(client.hosts());
        } catch (IllegalArgumentException wrong) {
            throw new InvalidConfigurationPropertyValueException(
                    "distributed-lock.http.client.hosts", client.hosts(), wrong.getMessage());
        }
    }

    FenceStore fence() {
        return server.fence();
    }

    /**
     * The sending side.
     *
     * @param hosts Hosts that all auto-configured clients send the sequencers of their locks to, such as stock or
     *     stock:8443. None by default.
     */
    record Client(@DefaultValue Set<String> hosts) {}

    /**
     * The receiving side.
     *
     * @param fence Where the newest tokens are kept: memory for a receiver with a single instance, or the fence in the
     *     application's database or Redis.
     */
    record Server(@DefaultValue("memory") FenceStore fence) {}

    /** Where a receiver keeps the newest tokens. */
    enum FenceStore {
        MEMORY,
        JDBC,
        REDIS
    }
}
