package io.distlock.spring.leader;

import io.distlock.leader.LeaderListener;
import io.distlock.leader.LeaderTerm;
import io.distlock.leader.Revocation;
import io.distlock.support.Timeouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;

/** Starts and stops lifecycle beans with a role. Gets them from the context when they are first needed. */
record RoleBeans(BeanFactory beans, String role, List<String> names, Duration stopTimeout) implements LeaderListener {

    @Override
    public void onElected(LeaderTerm term) {
        for (String name : names) {
            Lifecycle bean = bean(name);
            if (!bean.isRunning()) {
                bean.start();
            }
        }
    }

    @Override
    public void onRevoked(LeaderTerm term, Revocation reason) {
        List<String> lastFirst = new ArrayList<>(names);
        Collections.reverse(lastFirst);
        RuntimeException failed = null;
        for (String name : lastFirst) {
            try {
                stop(bean(name));
            } catch (RuntimeException failure) {
                // The others are to stop anyway.
                failed = failure;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    private void stop(Lifecycle bean) {
        if (!bean.isRunning()) {
            return;
        }
        if (bean instanceof SmartLifecycle smart) {
            CompletableFuture<Void> stopped = new CompletableFuture<>();
            smart.stop(() -> stopped.complete(null));
            Timeouts.await(stopped, stopTimeout);
        } else {
            bean.stop();
        }
    }

    private Lifecycle bean(String name) {
        return beans.getBean(name, Lifecycle.class);
    }

    /** At the start: later, each election would fail. */
    void check() {
        for (String name : names) {
            if (!beans.containsBean(name)) {
                throw invalid(name, "there is no bean of this name");
            } else if (!beans.isTypeMatch(name, Lifecycle.class)) {
                throw invalid(name, "this bean is no Lifecycle, so it cannot be started and stopped");
            } else if (bean(name) instanceof SmartLifecycle smart && smart.isAutoStartup()) {
                throw invalid(name, "this bean starts by itself on every instance: switch off its automatic start");
            }
        }
    }

    private InvalidConfigurationPropertyValueException invalid(String name, String why) {
        return new InvalidConfigurationPropertyValueException(
                LeaderProperties.PREFIX + "." + role + ".lifecycle-beans", name, why);
    }
}
