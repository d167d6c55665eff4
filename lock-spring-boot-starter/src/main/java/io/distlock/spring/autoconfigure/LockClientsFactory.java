package io.distlock.spring.autoconfigure;

import io.distlock.LockClient;
import io.distlock.LockListener;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.LockProvider;
import io.distlock.spring.LockClientCustomizer;
import io.distlock.spring.LockClients;
import io.distlock.spring.UnknownLockProviderException;
import io.distlock.support.LockRuntime;
import java.util.List;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

/** Makes a client for each provider and chooses the default one. */
final class LockClientsFactory {

    private final LockRuntime runtime;
    private final LockProperties properties;
    private final String instance;
    private final List<LockListener> listeners;
    private final List<LockClientCustomizer> customizers;

    LockClientsFactory(
            LockRuntime runtime,
            LockProperties properties,
            String instance,
            List<LockListener> listeners,
            List<LockClientCustomizer> customizers) {
        this.runtime = runtime;
        this.properties = properties;
        this.instance = instance;
        this.listeners = listeners;
        this.customizers = customizers;
    }

    LockClients create(List<LockProvider> providers) {
        String primary = primary(providers.stream().map(LockProvider::name).toList());
        providers.stream().filter(each -> each.name().equals(primary)).forEach(this::requireGrantsByDefault);
        return new LockClients(providers.stream().map(this::client).toList(), primary);
    }

    private String primary(List<String> known) {
        String chosen = properties.provider();
        if (StringUtils.hasText(chosen)) {
            if (!known.contains(chosen)) {
                throw new UnknownLockProviderException(chosen, known);
            }
            return chosen;
        }
        return switch (known.size()) {
            case 0 -> throw new NoLockProviderException();
            case 1 -> known.get(0);
            default -> throw new AmbiguousLockProviderException(known);
        };
    }

    /** Of the default provider alone: locks of another one may all have times of their own. */
    private void requireGrantsByDefault(LockProvider provider) {
        LockOptions options = properties.options();
        try {
            provider.validate(options);
        } catch (IllegalArgumentException refusal) {
            throw new InvalidConfigurationPropertyValueException(
                    LockProperties.PREFIX + "lease-time",
                    options.leaseTime(),
                    String.valueOf(refusal.getMessage()),
                    refusal);
        }
    }

    private LockClient client(LockProvider provider) {
        LockClientBuilder builder = LockClientBuilder.of(provider, runtime)
                .options(properties.options())
                .instance(instance)
                .shutdownTimeout(properties.shutdownTimeout());
        listeners.forEach(builder::listener);
        LockClient client = builder.build();
        for (LockClientCustomizer customizer : customizers) {
            client = customizer.customize(client);
        }
        return client;
    }
}
