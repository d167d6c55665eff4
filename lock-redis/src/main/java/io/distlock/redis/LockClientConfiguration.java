package io.distlock.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.Optional;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/** The user's client configuration, with the options and resources that locks need. */
final class LockClientConfiguration implements LettuceClientConfiguration {

    private final LettuceClientConfiguration users;
    private final ClientOptions options;
    private final ClientResources resources;
    private final Duration callTimeout;

    LockClientConfiguration(
            LettuceClientConfiguration users, ClientOptions options, ClientResources resources, Duration callTimeout) {
        this.users = users;
        this.options = options;
        this.resources = resources;
        this.callTimeout = callTimeout;
    }

    @Override
    public Optional<ClientOptions> getClientOptions() {
        return Optional.of(options);
    }

    @Override
    public Optional<ClientResources> getClientResources() {
        return Optional.of(resources);
    }

    /** Also limits the handshake of a connection. */
    @Override
    public Duration getCommandTimeout() {
        return callTimeout;
    }

    /** Locks are read where they are written. */
    @Override
    public Optional<ReadFrom> getReadFrom() {
        return Optional.empty();
    }

    @Override
    public boolean isUseSsl() {
        return users.isUseSsl();
    }

    @Override
    @Deprecated
    public boolean isVerifyPeer() {
        return users.getVerifyMode() != SslVerifyMode.NONE;
    }

    @Override
    public SslVerifyMode getVerifyMode() {
        return users.getVerifyMode();
    }

    @Override
    public boolean isStartTls() {
        return users.isStartTls();
    }

    @Override
    public Optional<String> getClientName() {
        return users.getClientName();
    }

    @Override
    public Optional<RedisCredentialsProviderFactory> getRedisCredentialsProviderFactory() {
        return users.getRedisCredentialsProviderFactory();
    }

    @Override
    public Duration getShutdownTimeout() {
        return users.getShutdownTimeout();
    }

    @Override
    public Duration getShutdownQuietPeriod() {
        return users.getShutdownQuietPeriod();
    }
}
