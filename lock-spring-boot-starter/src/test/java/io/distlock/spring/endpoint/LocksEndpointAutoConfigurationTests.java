package io.distlock.spring.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockClient;
import io.distlock.spi.Ticker;
import io.distlock.spring.LockClients;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.endpoint.LocksReport.RecentLosses;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

class LocksEndpointAutoConfigurationTests {

    private final ApplicationContextRunner unexposed =
            LockTestContext.inMemory().withConfiguration(AutoConfigurations.of(LocksEndpointAutoConfiguration.class));

    private final ApplicationContextRunner runner = unexposed.withPropertyValues(
            "management.endpoints.web.exposure.include=locks", "distributed-lock.shutdown-timeout=0s");

    private static String shownKey(ApplicationContext context) {
        LockClient client = context.getBean(LockClient.class);
        client.acquire(client.request("orders", "42"));
        return LocksEndpointFixture.list(context.getBean(LocksEndpoint.class), null, null)
                .held()
                .items()
                .get(0)
                .key();
    }

    @Test
    void theEndpointIsThereWhereItIsExposed() {
        runner.run(context ->
                assertThat(context).hasSingleBean(LocksEndpoint.class).hasSingleBean(RecentLosses.class));
        unexposed.run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(LocksEndpoint.class)
                .doesNotHaveBean(RecentLosses.class));
    }

    @Test
    void anEndpointWithoutAccessIsNotThere() {
        runner.withPropertyValues("management.endpoint.locks.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
    }

    @Test
    void keysAreHiddenUnlessAskedForOtherwise() {
        runner.run(context -> assertThat(shownKey(context)).isEqualTo("******"));
        runner.withPropertyValues("management.endpoint.locks.show-values=always")
                .run(context -> assertThat(shownKey(context)).isEqualTo("42"));
    }

    @Test
    void sanitizingFunctionsOfTheContextAreAsked() {
        runner.withPropertyValues("management.endpoint.locks.show-values=always")
                .withBean(SanitizingFunction.class, () -> data -> data.withValue("hidden"))
                .run(context -> assertThat(shownKey(context)).isEqualTo("hidden"));
    }

    @Test
    void theUsersOwnComeFirst() {
        runner.withBean("ownLosses", RecentLosses.class, () -> new RecentLosses(Ticker.system()))
                .withBean("own", Own.class)
                .run(context -> {
                    assertThat(context.getBeanNamesForType(RecentLosses.class)).containsExactly("ownLosses");
                    assertThat(context.getBeanNamesForType(LocksEndpoint.class)).containsExactly("own");
                });
    }

    static class Own extends LocksEndpoint {

        Own(LockClients clients, RecentLosses losses) {
            super(clients, losses, event -> {}, new LocksEndpoint.Properties(Show.NEVER, Set.of(), false), List.of());
        }
    }
}
