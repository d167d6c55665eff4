package io.distlock.toy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distlock.HeldLock;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockClients;
import io.distlock.spring.LockContext;
import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** A provider touches only its own module: no other knows of this one. */
@ExtendWith(OutputCaptureExtension.class)
class ToyProviderTests {

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }

    static class Jobs {

        @DistributedLock("job")
        public String run() {
            HeldLock lock = LockContext.current();
            lock.ensureHeld();
            return lock.keys().toString();
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Mistaken {

        @Bean
        Elsewhere elsewhere() {
            return new Elsewhere();
        }
    }

    static class Elsewhere {

        @DistributedLock(provider = "toi")
        public void run() {}
    }

    private static ConfigurableApplicationContext start(Class<?> application, String... properties) {
        SpringApplication spring = new SpringApplication(application);
        spring.setWebApplicationType(WebApplicationType.NONE);
        return spring.run(Arrays.stream(properties).map("--"::concat).toArray(String[]::new));
    }

    private static void started(Consumer<LockClients> test, String... properties) {
        try (ConfigurableApplicationContext context = start(Application.class, properties)) {
            assertThat(context.getBean(Jobs.class).run()).isEqualTo("[job]");
            test.accept(context.getBean(LockClients.class));
        }
    }

    private static void refused(Class<?> application, String... properties) {
        assertThat(catchThrowable(() -> start(application, properties).close())).isNotNull();
    }

    @Test
    void isTheDefaultOneIfItIsTheOnlyOne() {
        started(clients -> assertThat(clients.primary().provider()).isEqualTo("toy"));
    }

    @Test
    void isChosenByThePropertyWhateverItsCase() {
        started(clients -> assertThat(clients.primary().provider()).isEqualTo("toy"), "distributed-lock.provider=Toy");
    }

    @Test
    void givesWayToAnotherThatIsChosenUnlessItIsSwitchedOn() {
        started(
                clients -> assertThat(clients.providers()).containsExactly("in-memory"),
                "distributed-lock.provider=in-memory");
        started(
                clients -> {
                    assertThat(clients.primary().provider()).isEqualTo("in-memory");
                    assertThat(clients.providers()).containsExactly("in-memory", "toy");
                },
                "distributed-lock.provider=in-memory",
                "distributed-lock.toy.enabled=true");
    }

    @Test
    void isSuggestedWhereItsNameIsMisspelt(CapturedOutput output) {
        refused(Application.class, "distributed-lock.provider=tooy");
        assertThat(output)
                .contains("distributed-lock.provider names the lock provider 'tooy', but there is none")
                .contains("Did you mean toy?")
                .contains("locks on toy, whose module is there: configure toy.box");
    }

    @Test
    void isSuggestedToAMethod(CapturedOutput output) {
        refused(Mistaken.class);
        assertThat(output)
                .contains("provider: there is no lock provider 'toi'; known providers: toy; did you mean toy?");
    }

    @Test
    void isToldWhatItLacks(CapturedOutput output) {
        refused(Application.class, "distributed-lock.provider=toy", "toy.box=shut");
        assertThat(output)
                .contains("the module of the lock provider 'toy' is on the class path, but does nothing: ")
                .contains("toy.box");
    }

    @Test
    void isNamedWhereItCannotBeSwitched(CapturedOutput output) {
        refused(Application.class, "distributed-lock.toy.enabled=perhaps");
        assertThat(output)
                .contains(
                        "The property distributed-lock.toy.enabled = \"perhaps\" cannot be used: choose true or false");
    }
}
