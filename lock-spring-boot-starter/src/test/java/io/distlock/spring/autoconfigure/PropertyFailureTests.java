package io.distlock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.mock.env.MockEnvironment;

/** A property that is wrong ends the start with its name, its value, the rule and the cure, wherever it is checked. */
@ExtendWith(OutputCaptureExtension.class)
class PropertyFailureTests {

    private static final String TIMES = "Times are written as";

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}

    private static String start(CapturedOutput output, String... properties) {
        SpringApplication spring = new SpringApplication(Application.class);
        spring.setWebApplicationType(WebApplicationType.NONE);
        String[] arguments = Stream.of(properties).map("--"::concat).toArray(String[]::new);
        assertThat(catchThrowable(() -> spring.run(arguments).close())).isNotNull();
        assertThat(output).contains("APPLICATION FAILED TO START");
        return output.getOut();
    }

    private static String startWith(CapturedOutput output, String provider, String property, String value) {
        return start(output, "distributed-lock.provider=" + provider, "distributed-lock." + property + "=" + value);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            in-memory | key-prefix                       | ' '     | visible characters
            in-memory | advisor-order                    | first   | it is not a number
            in-memory | metrics.enabled                  | perhaps | choose true or false
            redis     | key-prefix                       | a{b     | at index 1: remove it
            redis     | redis.enabled                    | perhaps | choose true or false
            redis     | redis.replicas-to-acknowledge    | -1      | replicas to acknowledge -1 is negative
            redis     | redis.replicas-to-acknowledge    | many    | it is not a number
            redlock   | redlock.clock-drift              | 2       | clock drift 2.0 is out of range
            redlock   | redlock.ssl.bundle               | mine    | SSL bundle name 'mine' cannot be found
            """)
    void isNamedWithItsValueAndTheRule(
            String provider, String property, String value, String rule, CapturedOutput output) {
        assertThat(startWith(output, provider, property, value))
                .contains("The property distributed-lock." + property + " = \"" + value + "\" cannot be used: ")
                .contains(rule)
                .contains("Correct distributed-lock." + property + ".")
                .doesNotContain(TIMES);
    }

    @ParameterizedTest
    @CsvSource({
        "in-memory, shutdown-timeout, -1s, shutdown timeout -1s is out of range",
        "in-memory, max-hold-time, 20s, shorter than the lease time 30s",
        "in-memory, lease-time, 2h, maximum hold time 1h is shorter than the lease time 2h",
        "redis, redis.call-timeout, 2m, call timeout 2m is out of range",
        "redlock, redlock.restart-guard.quarantine, 3d, quarantine after a restart 72h is out of range",
        "redlock, redlock.connect-timeout, soon, is not a valid duration",
    })
    void isToldHowTimesAreWrittenIfItIsOne(
            String provider, String property, String value, String rule, CapturedOutput output) {
        assertThat(startWith(output, provider, property, value))
                .contains("The property distributed-lock." + property + " = \"" + value + "\" cannot be used: ")
                .contains(rule)
                .contains(TIMES);
    }

    @Test
    void aMinimumHoldTimeAboveTheMaximumIsNamed(CapturedOutput output) {
        assertThat(start(
                        output,
                        "distributed-lock.provider=in-memory",
                        "distributed-lock.max-hold-time=10m",
                        "distributed-lock.min-hold-time=20m"))
                .contains("distributed-lock.min-hold-time = \"20m\" cannot be used: minimum hold time 20m is longer"
                        + " than the maximum hold time 10m");
    }

    @Test
    void aLeaseThatIsTooLongForTheQuarantineIsNamed(CapturedOutput output) {
        assertThat(start(
                        output,
                        "distributed-lock.provider=redlock",
                        "distributed-lock.redlock.nodes=redis://a,redis://b,redis://c",
                        "distributed-lock.redlock.restart-guard.quarantine=10s"))
                .contains("The property distributed-lock.lease-time = \"30s\" cannot be used: ")
                .contains(
                        "would outlast the restart guard's quarantine of 10s: lengthen the quarantine, or shorten the");
    }

    @Test
    void nodesOfRedlockAreNamedAndTheirPasswordsAreNotShown(CapturedOutput output) {
        assertThat(start(
                        output,
                        "distributed-lock.provider=redlock",
                        "distributed-lock.redlock.nodes=redis://a,http://:s3cret@b,redis://c"))
                .contains(
                        "The property distributed-lock.redlock.nodes[1] cannot be used: it starts with neither redis://")
                .doesNotContain("s3cret")
                .doesNotContain(TIMES);
        assertThat(start(
                        output,
                        "distributed-lock.provider=redlock",
                        "distributed-lock.redlock.nodes=redis://:s3cret@a,redis://b"))
                .contains("The property distributed-lock.redlock.nodes cannot be used: 2 nodes are too few")
                .doesNotContain("s3cret");
    }

    @Test
    void aProviderThatIsMisspeltIsAnsweredWithTheOneThatWasMeant(CapturedOutput output) {
        assertThat(start(output, "distributed-lock.provider=reddis"))
                .contains("distributed-lock.provider names the lock provider 'reddis'")
                .contains("Did you mean redis?")
                .contains("Write redis.");
    }

    /** Its module is there, but backs off. */
    @Test
    void aProviderWhoseModuleIsThereIsAnsweredWithWhatItLacks(CapturedOutput output) {
        assertThat(start(
                        output,
                        "distributed-lock.provider=redis",
                        "spring.autoconfigure.exclude="
                                + "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"))
                .contains("the module of the lock provider 'redis' is on the class path, but does nothing: ")
                .contains("LettuceConnectionFactory")
                .doesNotContain("Add the module that brings it");
    }

    @ParameterizedTest
    @CsvSource({"in-memory, wait-time, 5", "redis, redis.call-timeout, 250", "in-memory, leak-threshold, 30"})
    void aTimeWithoutAUnitIsNotTakenForMilliseconds(
            String provider, String property, String value, CapturedOutput output) {
        assertThat(startWith(output, provider, property, value))
                .contains("The property distributed-lock." + property + " = \"" + value + "\" cannot be used: ")
                .contains("it has no unit: write " + value + "s for seconds, or " + value + "ms");
    }

    /** Spring Boot knows two ways to write a property's name there, and a value may lead to another. */
    @ParameterizedTest
    @ValueSource(strings = {"DISTRIBUTEDLOCK_WAITTIME", "DISTRIBUTED_LOCK_WAIT_TIME"})
    void norIsOneInTheEnvironment(String variable) {
        MockEnvironment environment = new MockEnvironment();
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        Map.of(variable, "${SECONDS}", "SECONDS", "30")));
        ConfigurationPropertySources.attach(environment);
        Binder binder = Binder.get(environment);
        assertThatThrownBy(() -> binder.bind(
                        "distributed-lock", Bindable.of(LockProperties.class), new UnitsRequired(BindHandler.DEFAULT)))
                .rootCause()
                .hasMessageContaining("write 30s for seconds");
    }

    @Test
    void aTimeOfZeroNeedsNoUnit() {
        SpringApplication spring = new SpringApplication(Application.class);
        spring.setWebApplicationType(WebApplicationType.NONE);
        spring.run("--distributed-lock.provider=in-memory", "--distributed-lock.wait-time=0")
                .close();
    }
}
