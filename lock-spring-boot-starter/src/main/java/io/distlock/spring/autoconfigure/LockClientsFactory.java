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
import java.util.List;
import java.util.stream.Collectors;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
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
        ConfigurableListableBeanFactory beans,
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
                LockProviderModules modules = LockProviderModules.on(beans.getBeanClassLoader());
                String why = whyIdle(modules, chosen);
                throw why.isEmpty()
                        ? new UnknownLockProviderException(chosen, known, modules.names())
                        : new IdleLockProviderException(chosen, why);
            }
            return chosen;
        }
        if (known.size() != 1) {
            throw new NoDefaultLockProviderException(known);
        }
        return known.get(0);
    }

    /** The conditions that the auto-configuration of a provider on the class path did not meet; empty if there is none. */
    private String whyIdle(LockProviderModules modules, String provider) {
        return modules
                .configuration(provider)
                .map(ConditionEvaluationReport.get(beans).getConditionAndOutcomesBySource()::get)
                .stream()
                .flatMap(ConditionEvaluationReport.ConditionAndOutcomes::stream)
                .map(ConditionEvaluationReport.ConditionAndOutcome::getOutcome)
                .filter(outcome -> !outcome.isMatch())
                .map(ConditionOutcome::getMessage)
                .collect(Collectors.joining("; "));
    }

    /** Only for the default provider: locks of others may all set their own times. */
    private void requireGrantsByDefault(LockProvider provider) {
        try {
            provider.validate(properties.options());
        } catch (IllegalArgumentException refusal) {
            LockOptions options = properties.options();
            boolean byLease = options.minHoldTime().compareTo(options.leaseTime()) <= 0;
            throw new InvalidConfigurationPropertyValueException(
                    LockProperties.PREFIX + (byLease ? "lease-time" : "min-hold-time"),
                    byLease ? options.leaseTime() : options.minHoldTime(),
                    String.valueOf(refusal.getMessage()));
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

    /** The module of the chosen provider is on the class path, but its auto-configuration has backed off. */
    static final class IdleLockProviderException extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        IdleLockProviderException(String provider, String why) {
            super("the module of the lock provider '" + provider + "' is on the class path, but does nothing: " + why);
        }
    }

    /** There is no default provider: none in the context, or several. */
    static final class NoDefaultLockProviderException extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        private final List<String> known;

        NoDefaultLockProviderException(List<String> known) {
            super(
                    known.isEmpty()
                            ? "there is no lock provider: add the module of a store, such as io.distlock:lock-redis, or set "
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
