package io.distlock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distlock.redis.autoconfigure.RedisLockAutoConfiguration;
import io.distlock.spi.LockProvider;
import io.distlock.spring.DistributedLock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;

/** What a user reads whose application does not start. */
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalysisTests {

    private static void start(Class<?> application, String... properties) {
        SpringApplication spring = new SpringApplication(application);
        spring.setWebApplicationType(WebApplicationType.NONE);
        List<String> arguments = new ArrayList<>();
        // As if its module were not there.
        arguments.add("--spring.autoconfigure.exclude=" + RedisLockAutoConfiguration.class.getName());
        for (String property : properties) {
            arguments.add("--" + property);
        }
        assertThat(catchThrowable(
                        () -> spring.run(arguments.toArray(String[]::new)).close()))
                .isNotNull();
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Plain {}

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class TwoProviders {

        @Bean
        LockProvider red() {
            return new NamedProvider("red");
        }

        @Bean
        LockProvider green() {
            return new NamedProvider("green");
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class BadMethods {

        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }

    static class Jobs {

        @DistributedLock(waitTime = "soon")
        public void impatient() {}

        @DistributedLock(provider = "etcd")
        public final void remote() {}
    }

    @Test
    void noProviderNamesTheModulesAndTheInMemoryProperty(CapturedOutput output) {
        start(Plain.class);
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("no lock provider is configured")
                .contains("io.distlock:lock-redis")
                .contains("io.distlock:lock-etcd")
                .contains("distributed-lock.provider=in-memory");
    }

    @Test
    void severalProvidersAreListedWithTheProperty(CapturedOutput output) {
        start(TwoProviders.class);
        assertThat(output)
                .contains("There are several lock providers (red, green)")
                .contains("Set distributed-lock.provider to one of red, green")
                .contains("One that a module brings must be switched on as well, if it is not the default one")
                .contains("distributed-lock.<its name>.enabled=true");
    }

    @Test
    void anUnknownProviderIsAnsweredWithThoseThatThereAre(CapturedOutput output) {
        start(TwoProviders.class, "distributed-lock.provider=blue");
        assertThat(output)
                .contains("distributed-lock.provider names the lock provider 'blue', but there are only: red, green")
                .contains("io.distlock:lock-redis")
                .contains("locks on redlock, whose module is there: configure distributed-lock.redlock.nodes")
                .contains("beside another default provider: set distributed-lock.<its name>.enabled=true");
    }

    @Test
    void aProviderWithoutItsModuleIsAnsweredWithTheModules(CapturedOutput output) {
        start(Plain.class, "distributed-lock.provider=redis");
        assertThat(output)
                .contains("distributed-lock.provider names the lock provider 'redis', but there is none")
                .contains("io.distlock:lock-redis");
    }

    @ParameterizedTest
    @CsvSource({"jdbc, lock-jdbc-fence", "r2dbc, lock-jdbc-fence", "redis, lock-redis-fence"})
    void aFenceWithoutItsModuleIsAnsweredWithTheModule(String fence, String module, CapturedOutput output) {
        start(
                Plain.class,
                "distributed-lock.provider=in-memory",
                "distributed-lock." + fence + ".fencing.enabled=true");
        assertThat(output)
                .contains(
                        "The property distributed-lock." + fence + ".fencing.enabled = \"true\" cannot be used: nothing"
                                + " would be fenced without io.distlock:" + module + ": add that dependency");
    }

    @Test
    void aTimeThatCannotBeReadNamesPropertyAndValue(CapturedOutput output) {
        start(Plain.class, "distributed-lock.provider=in-memory", "distributed-lock.lease-time=long");
        assertThat(output)
                .contains("The property distributed-lock.lease-time = \"long\" cannot be used: "
                        + "'long' is not a valid duration")
                .contains("Times are written as 500ms");
    }

    @Test
    void aTimeThatBreaksARuleNamesPropertyValueRuleAndCure(CapturedOutput output) {
        start(Plain.class, "distributed-lock.provider=in-memory", "distributed-lock.lease-time=48h");
        assertThat(output)
                .contains("The property distributed-lock.lease-time = \"48h\" cannot be used: lease time 48h is"
                        + " out of range: choose a value from 100ms to 24h")
                .contains("Correct distributed-lock.lease-time");
    }

    @Test
    void anOrderThatIsNoNumberNamesPropertyAndValue(CapturedOutput output) {
        start(Plain.class, "distributed-lock.provider=in-memory", "distributed-lock.advisor-order=first");
        assertThat(output).contains("The property distributed-lock.advisor-order = \"first\" cannot be used");
    }

    @Test
    void mistakesOfAnnotatedMethodsAreListedWithTheirCures(CapturedOutput output) {
        start(BadMethods.class, "distributed-lock.provider=in-memory");
        assertThat(output)
                .contains("@DistributedLock cannot be applied as written (problems: 3)")
                .contains("FailureAnalysisTests$Jobs.impatient()")
                .contains("waitTime: 'soon' is not a valid duration")
                .contains("Write it as 500ms, 2s")
                .contains("FailureAnalysisTests$Jobs.remote()")
                .contains("method: the method is final")
                .contains("provider: there is no lock provider 'etcd'; known providers: in-memory");
    }
}
