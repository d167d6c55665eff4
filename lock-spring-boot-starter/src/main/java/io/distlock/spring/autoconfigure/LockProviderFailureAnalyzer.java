package io.distlock.spring.autoconfigure;

import io.distlock.spring.UnknownLockProviderException;
import io.distlock.spring.autoconfigure.LockClientsFactory.IdleLockProviderException;
import io.distlock.spring.autoconfigure.LockClientsFactory.NoDefaultLockProviderException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.env.Environment;

/** Explains that a lock provider is missing, unknown or not chosen, and how to add or choose one. */
record LockProviderFailureAnalyzer(Environment environment) implements FailureAnalyzer {

    private static final String PROPERTY = LockProperties.PREFIX + "provider";

    private static final String OTHERS = """
            - locks on another store: add its module, such as io.distlock:lock-redis or io.distlock:lock-etcd
            - locks inside this JVM alone, for tests and development: set distributed-lock.provider=in-memory
            - a store of your own: declare a bean of type io.distlock.spi.LockProvider""";

    private static final String BESIDE = "\n- one that a module brings, beside another default provider: set"
            + " distributed-lock.<its name>.enabled=true";

    private static String choices() {
        return LockProviderModules.on(LockProviderFailureAnalyzer.class.getClassLoader())
                        .needs()
                + OTHERS;
    }

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof NoDefaultLockProviderException missing) {
                return noDefault(missing);
            } else if (cause instanceof IdleLockProviderException idle) {
                return new FailureAnalysis(
                        String.valueOf(idle.getMessage()),
                        "Correct that, or choose another:\n" + choices() + BESIDE,
                        idle);
            } else if (cause instanceof UnknownLockProviderException unknown) {
                return unknown(unknown);
            }
        }
        return null;
    }

    private static FailureAnalysis noDefault(NoDefaultLockProviderException cause) {
        String providers = String.join(", ", cause.known());
        return providers.isEmpty()
                ? new FailureAnalysis(
                        "The application uses distributed locks, but no lock provider is configured. If a provider's"
                                + " module is on the class path, its configuration or the client of its store is"
                                + " missing.",
                        "Choose one:\n" + choices(),
                        cause)
                : new FailureAnalysis(
                        "There are several lock providers (" + providers + "), and none has been chosen as the default"
                                + " one.",
                        "Set distributed-lock.provider to one of " + providers + ". To use another one beside it, name"
                                + " that one: @DistributedLock(provider = \"…\") or LockClients.get(\"…\"). One that a"
                                + " module brings must be switched on as well, if it is not the default one:"
                                + " distributed-lock.<its name>.enabled=true.",
                        cause);
    }

    private FailureAnalysis unknown(UnknownLockProviderException cause) {
        boolean byProperty = cause.provider().equals(environment.getProperty(PROPERTY));
        String known = String.join(", ", cause.known());
        return new FailureAnalysis(
                (byProperty ? PROPERTY + " names" : "The application asks for") + " the lock provider '"
                        + cause.provider() + "', but "
                        + (known.isEmpty() ? "there is none" : "there are only: " + known)
                        + "."
                        + cause.suggestion()
                                .map(name -> " Did you mean " + name + "?")
                                .orElse(""),
                action(cause, known),
                cause);
    }

    private static String action(UnknownLockProviderException cause, String known) {
        return cause.suggestion()
                        .map(name -> "Write " + name + ". If that is not it:\n")
                        .orElse("")
                + (known.isEmpty()
                        ? "Add the module that brings it, or choose another:\n" + choices()
                        : "Write one of these names (" + known + "), or add what is missing:\n" + choices() + BESIDE);
    }
}
