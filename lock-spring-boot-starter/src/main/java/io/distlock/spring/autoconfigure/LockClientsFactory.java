package io.distlock.spring.autoconfigure;

import io.distlock.LockClient;
import io.distlock.LockListener;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.spi.LockProvider;
import io.distlock.spring.LockClientCustomizer;
import io.distlock.spring.LockClients;
import io.distlock.spring.UnknownLockProviderException;
import io.distlock.spring.client.LeakDetector;
import io.distlock.support.LockRuntime;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.util.StringUtils;

/** Makes a client for each provider and chooses the default one. */
record LockClientsFactory(
        LockRuntime runtime,
        LockProperties properties,
        Environment environment,
        List<LockListener> listeners,
        List<LockClientCustomizer> customizers) {

    LockClients create(List<LockProvider> providers) {
        String primary = primary(providers.stream().map(LockProvider::name).toList());
        providers.stream().filter(each -> each.name().equalsIgnoreCase(primary)).forEach(this::requireGrantsByDefault);
        return new LockClients(providers.stream().map(this::client).toList(), primary);
    }

    private String primary(List<String> known) {
        String chosen = properties.provider();
        if (StringUtils.hasText(chosen)) {
            if (known.stream().noneMatch(chosen::equalsIgnoreCase)) {
                throw new UnknownLockProviderException(chosen, known);
            }
            return chosen;
        }
        if (known.size() != 1) {
            throw new NoDefaultLockProviderException(known);
        }
        return known.get(0);
    }

    /** Only for the default provider: locks of others may all set their own times. */
    private void requireGrantsByDefault(LockProvider provider) {
        try {
            provider.validate(properties.options());
        } catch (IllegalArgumentException refusal) {
            String property = LockProperties.PREFIX + blamed(provider);
            throw new InvalidConfigurationPropertyValueException(
                    property, environment.getProperty(property), String.valueOf(refusal.getMessage()));
        }
    }

    /** Of those that the user has set, the one whose default would be granted. */
    private String blamed(LockProvider provider) {
        LockOptions options = properties.options();
        LockOptions usual = LockOptions.defaults();
        Map<String, Supplier<LockOptions>> withDefault = new LinkedHashMap<>();
        withDefault.put("lease-time", () -> options.withLeaseTime(usual.leaseTime()));
        withDefault.put("min-hold-time", () -> options.withMinHoldTime(usual.minHoldTime()));
        withDefault.put("lock-delay", () -> options.withLockDelay(usual.lockDelay()));
        withDefault.put(provider.name() + ".restart-guard.quarantine", () -> options);
        var set = withDefault.entrySet().stream()
                .filter(each -> environment.containsProperty(LockProperties.PREFIX + each.getKey()))
                .toList();
        return set.stream()
                .filter(each -> isGranted(provider, each.getValue()))
                .findFirst()
                .or(() -> set.stream().findFirst())
                .map(Map.Entry::getKey)
                .orElse("lease-time");
    }

    private static boolean isGranted(LockProvider provider, Supplier<LockOptions> options) {
        try {
            provider.validate(options.get());
            return true;
        } catch (IllegalArgumentException refusal) {
            return false;
        }
    }

    private LockClient client(LockProvider provider) {
        LockClientBuilder builder = LockClientBuilder.of(provider, runtime)
                .options(properties.options())
                .instance(instance())
                .shutdownTimeout(properties.shutdownTimeout());
        if (Threading.VIRTUAL.isActive(environment)) {
            builder.callbackExecutor(new VirtualThreadTaskExecutor("distlock-callback-"));
        }
        listeners.forEach(builder::listener);
        LockClient client = builder.build();
        LeakDetector.watch(client, properties.leakThreshold(), runtime);
        for (LockClientCustomizer customizer : customizers) {
            client = customizer.customize(client);
        }
        return client;
    }

    /** Names this process at the store, for diagnostics: {@code orders@web-1.4711}. */
    private String instance() {
        String instanceId = properties.instanceId();
        String application = environment.getProperty("spring.application.name", "application");
        return application + '@' + (StringUtils.hasText(instanceId) ? instanceId : process());
    }

    /** The host name from the variable that containers set, since a look-up may hang on a silent DNS server. */
    private String process() {
        String host = environment.getProperty("HOSTNAME", "");
        if (host.isEmpty()) {
            // Looks it up.
            String pidAndHost = ManagementFactory.getRuntimeMXBean().getName();
            host = pidAndHost.substring(pidAndHost.indexOf('@') + 1);
        }
        return host + '.' + ProcessHandle.current().pid();
    }

    /** There is no default provider: none in the context, or several. */
    static final class NoDefaultLockProviderException extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        private final List<String> known;

        NoDefaultLockProviderException(List<String> known) {
            super(
                    known.isEmpty()
                            ? "there is no lock provider: add io.distlock:lock-redis or io.distlock:lock-etcd, or set "
                                    + "distributed-lock.provider=in-memory for locks within this JVM only"
                            : "there are several lock providers and none is chosen: set distributed-lock.provider to one of "
                                    + String.join(", ", known));
            this.known = List.copyOf(known);
        }

        List<String> known() {
            return known;
        }
    }
}
