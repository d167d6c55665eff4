package io.distlock.spring.autoconfigure;

import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** Names this process to people who look into the store: {@code orders@web-1.4711}. */
final class InstanceName {

    private InstanceName() {}

    static String of(Environment environment, @Nullable String instanceId) {
        String application = environment.getProperty("spring.application.name", "application");
        return application + '@' + (StringUtils.hasText(instanceId) ? instanceId : process(environment));
    }

    /** The host's name from where containers have it, since asking for it may take the time of a DNS that is silent. */
    private static String process(Environment environment) {
        String host = environment.getProperty("HOSTNAME", "");
        return host.isEmpty()
                ? hostOfRuntime()
                : host + '.' + ProcessHandle.current().pid();
    }

    private static String hostOfRuntime() {
        String[] pidAndHost = ManagementFactory.getRuntimeMXBean().getName().split("@", 2);
        return pidAndHost.length < 2 ? pidAndHost[0] : pidAndHost[1] + '.' + pidAndHost[0];
    }
}
