package io.distlock.spring.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.support.PropertiesLoaderUtils;

/**
 * The providers whose modules are on the class path, as these describe them: see {@link
 * io.distlock.autoconfigure.ConditionalOnLockProvider}.
 */
record LockProviderModules(Properties descriptions) {

    private static final String CONFIGURATION = ".auto-configuration";

    static LockProviderModules on(@Nullable ClassLoader loader) {
        try {
            return new LockProviderModules(
                    PropertiesLoaderUtils.loadAllProperties("META-INF/distlock-providers.properties", loader));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    Set<String> names() {
        return descriptions.stringPropertyNames().stream()
                .filter(each -> each.endsWith(CONFIGURATION))
                .map(each -> each.substring(0, each.length() - CONFIGURATION.length()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The class that wires a provider. */
    Optional<String> configuration(String provider) {
        return Optional.ofNullable(descriptions.getProperty(provider.toLowerCase(Locale.ROOT) + CONFIGURATION));
    }

    /** A line for each, with what it needs. */
    String needs() {
        return names().stream()
                .map(name -> "- locks on " + name + ", whose module is there: configure "
                        + descriptions.getProperty(name + ".needs", "its store") + '\n')
                .collect(Collectors.joining());
    }
}
