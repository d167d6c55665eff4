package io.distlock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.spi.LockProvider;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockClients;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.UnknownLockProviderException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which provider grants a lock where there are several. */
class ProviderChoiceTests {

    static class Jobs {

        @DistributedLock("job")
        public HeldLock run() {
            return LockContext.current();
        }
    }

    static class SecondJobs {

        @DistributedLock(name = "job", provider = "second")
        public HeldLock onSecond() {
            return LockContext.current();
        }
    }

    private static LockProvider named(String name) {
        return new NamedProvider(name);
    }

    @Test
    void theOnlyProviderIsTheDefaultOne() {
        LockTestContext.withoutProvider()
                .withBean("own", LockProvider.class, () -> named("own"))
                .run(context ->
                        assertThat(context.getBean(LockClient.class).provider()).isEqualTo("own"));
    }

    @Test
    void anAnnotationMayNameAnotherProviderThanTheDefault() {
        LockTestContext.inMemory()
                .withBean("second", LockProvider.class, () -> named("second"))
                .withBean(Jobs.class)
                .withBean(SecondJobs.class)
                .run(context -> {
                    LockClients clients = context.getBean(LockClients.class);
                    assertThat(clients.providers()).containsExactlyInAnyOrder("in-memory", "second");
                    assertThat(clients.primary().provider()).isEqualTo("in-memory");
                    assertThat(clients.primary()).isSameAs(context.getBean(LockClient.class));
                    // The one key on two stores is two locks.
                    try (HeldLock other =
                            clients.get("second").acquire(clients.get("second").request("job"))) {
                        assertThat(other.isHeld()).isTrue();
                        assertThat(context.getBean(Jobs.class).run()).isNotNull();
                    }
                    assertThat(context.getBean(SecondJobs.class).onSecond()).isNotNull();
                });
    }

    @Test
    void anUnknownNameIsAnsweredWithThoseThatAreKnown() {
        LockTestContext.inMemory()
                .run(context -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> context.getBean(LockClients.class).get("etcd"))
                        .isInstanceOf(UnknownLockProviderException.class)
                        .withMessage("there is no lock provider 'etcd'; known providers: in-memory"));
    }

    @Test
    void twoProvidersOfOneNameAreRefused() {
        LockTestContext.withoutProvider()
                .withPropertyValues("distributed-lock.provider=same")
                .withBean("one", LockProvider.class, () -> named("same"))
                .withBean("other", LockProvider.class, () -> named("same"))
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("two lock providers are named 'same'"));
    }

    static class CapitalJobs {

        @DistributedLock(name = "job", provider = "IN-MEMORY")
        public HeldLock run() {
            return LockContext.current();
        }
    }

    @Test
    void upperAndLowerCaseAreTheSameInNamesOfProviders() {
        LockTestContext.withoutProvider()
                .withPropertyValues("distributed-lock.provider=In-Memory")
                .withBean(CapitalJobs.class)
                .run(context -> {
                    assertThat(context.getBean(CapitalJobs.class).run()).isNotNull();
                    LockClients clients = context.getBean(LockClients.class);
                    assertThat(clients.get("IN-Memory")).isSameAs(clients.primary());
                    assertThat(clients.providers()).containsExactly("in-memory");
                });
    }

    @ParameterizedTest
    @CsvSource({
        "reddis, redis",
        "Redlok, redlock",
        "etdc, etcd",
        "inmemory, in-memory",
        "in_memory, in-memory",
        "secnd, second",
    })
    void aNameThatIsMisspeltIsAnsweredWithTheNearest(String asked, String meant) {
        assertThat(new UnknownLockProviderException(asked, List.of("second"), List.of("redis", "redlock", "etcd")))
                .hasMessage("there is no lock provider '" + asked + "'; known providers: second; did you mean " + meant
                        + "?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgres", "Redis", "etcd", "x"})
    void aNameThatIsLikeNoneIsNotGuessedAt(String asked) {
        assertThat(new UnknownLockProviderException(asked, List.of("second"), List.of("redis", "etcd")))
                .hasMessageEndingWith("known providers: second");
    }
}
