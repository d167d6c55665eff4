package io.distlock.spring.leader;

import io.distlock.LockClient;
import io.distlock.leader.LeaderElection;
import io.distlock.leader.LeaderElectionBuilder;
import io.distlock.leader.LeaderListener;
import io.distlock.leader.LeaderTerm;
import io.distlock.leader.Revocation;
import io.distlock.spring.LockClients;
import io.distlock.support.LockRuntime;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of leader election: an election for each role in the properties. */
@AutoConfiguration(afterName = "io.distlock.spring.autoconfigure.LockAutoConfiguration")
@ConditionalOnBean({LockClients.class, LockRuntime.class})
@EnableConfigurationProperties(LeaderProperties.class)
public final class LeaderAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LeaderElections leaderElections(
            LockClients clients,
            LockRuntime runtime,
            LeaderProperties properties,
            ApplicationEventPublisher publisher) {
        return new LeaderElections(properties.roles().entrySet().stream()
                .map(role -> {
                    LockClient client = client(clients, role.getKey(), role.getValue());
                    LeaderElection election = election(client, runtime, role.getKey(), role.getValue());
                    election.addListener(new Publisher(publisher));
                    return new TermClient(client, election);
                })
                .toList());
    }

    private static LockClient client(LockClients clients, String role, LeaderProperties.Role settings) {
        String provider = settings.provider();
        if (provider == null || provider.isBlank()) {
            return clients.primary();
        }
        try {
            return clients.get(provider);
        } catch (RuntimeException unknown) {
            throw new InvalidConfigurationPropertyValueException(
                    LeaderProperties.PREFIX + "." + role + ".provider", provider, String.valueOf(unknown.getMessage()));
        }
    }

    private static LeaderElection election(
            LockClient client, LockRuntime runtime, String role, LeaderProperties.Role settings) {
        try {
            LeaderElectionBuilder builder =
                    LeaderElectionBuilder.of(client, runtime, role).revokeTimeout(settings.revokeTimeout());
            if (settings.leaseTime() != null) {
                builder.leaseTime(settings.leaseTime());
            }
            return builder.build();
        } catch (IllegalArgumentException refusal) {
            throw new InvalidConfigurationPropertyValueException(
                    LeaderProperties.PREFIX + "." + role, settings.leaseTime(), String.valueOf(refusal.getMessage()));
        }
    }

    private record Publisher(ApplicationEventPublisher context) implements LeaderListener {

        @Override
        public void onElected(LeaderTerm term) {
            context.publishEvent(new LeaderEvent.Elected(term));
        }

        @Override
        public void onRevoked(LeaderTerm term, Revocation reason) {
            context.publishEvent(new LeaderEvent.Revoked(term, reason));
        }
    }

    @Bean
    @ConditionalOnMissingBean(name = "leaderLifecycle")
    LeaderLifecycle leaderLifecycle(
            LeaderElections elections, LeaderProperties properties, ApplicationContext context) {
        return new LeaderLifecycle(elections, properties, context);
    }

    /** Adds the application's listeners once they exist, as they may use the elections. Refuses beans that cannot follow a role. */
    @Bean
    SmartInitializingSingleton leaderListenersInitializer(
            LeaderElections elections,
            LeaderProperties properties,
            ConfigurableListableBeanFactory beans,
            ObjectProvider<LeaderListener> listeners) {
        return () -> {
            List<LeaderListener> ofAll = listeners.orderedStream().toList();
            properties.roles().forEach((name, role) -> {
                RoleBeans followers = new RoleBeans(beans, name, role.lifecycleBeans(), role.revokeTimeout());
                followers.check();
                LeaderElection election = elections.get(name);
                ofAll.forEach(election::addListener);
                election.addListener(followers);
            });
        };
    }
}
