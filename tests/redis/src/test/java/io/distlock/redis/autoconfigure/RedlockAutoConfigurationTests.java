package io.distlock.redis.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distlock.LockClient;
import io.distlock.LockOptions;
import io.distlock.engine.LockClientBuilder;
import io.distlock.redis.redlock.RedlockConnections;
import io.distlock.redis.redlock.RedlockOptions;
import io.distlock.redis.redlock.RedlockProvider;
import io.distlock.spi.LockProvider;
import io.distlock.support.LockRuntime;
import io.distlock.test.process.TestCertificate;
import io.distlock.test.redis.RedisServer;
import io.distlock.test.redis.RedisServerOptions;
import io.distlock.test.redis.RedisServersExtension;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

class RedlockAutoConfigurationTests {

    private static final String PASSWORD = "s3cret-word";

    @RegisterExtension
    static final RedisServersExtension nodes =
            RedisServersExtension.create(3, RedisServerOptions.defaults().withUser("locker", PASSWORD));

    @RegisterExtension
    static final RedisServersExtension tlsNodes =
            RedisServersExtension.create(3, RedisServerOptions.defaults().withTls());

    private final ApplicationContextRunner context = new ApplicationContextRunner()
            .withBean("lockRuntime", LockRuntime.class, LockRuntime::start)
            .withConfiguration(AutoConfigurations.of(
                    SslAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    RedisLockAutoConfiguration.class,
                    RedlockAutoConfiguration.class))
            .withPropertyValues(
                    "distributed-lock.provider=redlock", "distributed-lock.redlock.restart-guard.enabled=false");

    @Test
    void locksOnTheNodesWithTheCredentialsOfTheirUris() {
        context.withPropertyValues("distributed-lock.redlock.nodes=" + uris(nodes))
                .run(started -> assertLocks(started.getBean(LockProvider.class), started.getBean(LockRuntime.class)));
    }

    @Test
    void locksWithCommonCredentials() {
        String bare = nodes.all().stream()
                .map(node -> "redis://" + node.host() + ':' + node.port())
                .collect(Collectors.joining(","));
        context.withPropertyValues(
                        "distributed-lock.redlock.nodes=" + bare,
                        "distributed-lock.redlock.username=locker",
                        "distributed-lock.redlock.password=" + PASSWORD)
                .run(started -> assertLocks(started.getBean(LockProvider.class), started.getBean(LockRuntime.class)));
    }

    @Test
    void locksWithACommonUserWhosePasswordsAreInTheUris() {
        String withoutUser = nodes.all().stream()
                .map(node -> "redis://:" + PASSWORD + '@' + node.host() + ':' + node.port())
                .collect(Collectors.joining(","));
        context.withPropertyValues(
                        "distributed-lock.redlock.nodes=" + withoutUser, "distributed-lock.redlock.username=locker")
                .run(started -> assertLocks(started.getBean(LockProvider.class), started.getBean(LockRuntime.class)));
    }

    @Test
    void locksByTlsWithAnSslBundle() {
        context.withPropertyValues(
                        "spring.ssl.bundle.pem.test.truststore.certificate=file:"
                                + TestCertificate.shared().certificate(),
                        "distributed-lock.redlock.ssl.bundle=test",
                        "distributed-lock.redlock.nodes=" + uris(tlsNodes))
                .run(started -> assertLocks(started.getBean(LockProvider.class), started.getBean(LockRuntime.class)));
    }

    @Test
    void aNodeThatWouldBeSpokenToInClearDespiteAnSslBundleIsRefused() {
        context.withPropertyValues(
                        "spring.ssl.bundle.pem.test.truststore.certificate=file:"
                                + TestCertificate.shared().certificate(),
                        "distributed-lock.redlock.ssl.bundle=test",
                        "distributed-lock.redlock.nodes=rediss://a:1,redis://locker:s3cret-word@b:2,rediss://c:3")
                .run(failed -> assertThat(failed)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("Redlock node b:2 does not use TLS, although an SSL bundle is set:"
                                + " write rediss:// instead of redis://, or remove the bundle"));
    }

    private static void assertLocks(LockProvider provider, LockRuntime runtime) {
        assertThat(provider).isInstanceOf(RedlockProvider.class);
        try (LockClient locks = LockClientBuilder.of(provider, runtime).build()) {
            locks.acquire(locks.request("orders").withWaitTime(Duration.ofSeconds(20)))
                    .close();
        }
    }

    private static String uris(RedisServersExtension servers) {
        return servers.all().stream()
                .map(RedisServer::uri)
                .map(Object::toString)
                .collect(Collectors.joining(","));
    }

    @Test
    void startsWithoutServersAndLeavesTheRedisOfTheApplicationAsItIs() {
        context.withPropertyValues("distributed-lock.redlock.nodes=redis://a:1,redis://b:1,redis://c:1")
                .run(started -> assertThat(started)
                        .hasNotFailed()
                        .hasSingleBean(RedlockProvider.class)
                        .hasSingleBean(LockProvider.class)
                        .hasSingleBean(RedisConnectionFactory.class)
                        .hasSingleBean(StringRedisTemplate.class)
                        .hasBean("redisConnectionFactory"));
    }

    @Test
    void aLockThatCouldOutlastTheRestartGuardsQuarantineIsRefusedBeforeItIsAskedFor() {
        context.withPropertyValues(
                        "distributed-lock.redlock.nodes=redis://a:1,redis://b:1,redis://c:1",
                        "distributed-lock.redlock.restart-guard.enabled=true")
                .run(started -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> started.getBean(LockProvider.class)
                                .validate(LockOptions.defaults().withMinHoldTime(Duration.ofSeconds(61))))
                        .withMessageContaining("61s would outlast the restart guard's quarantine of 1m"));
    }

    @Test
    void isOutOfTheWayUnlessAskedFor() {
        context.withPropertyValues("distributed-lock.provider=redis")
                .run(started -> assertThat(started).doesNotHaveBean(RedlockProvider.class));
        context.withPropertyValues(
                        "distributed-lock.provider=",
                        "distributed-lock.redlock.nodes[0]=redis://a",
                        "distributed-lock.redlock.nodes[1]=redis://b",
                        "distributed-lock.redlock.nodes[2]=redis://c")
                .run(started -> assertThat(started).hasSingleBean(RedlockProvider.class));
        context.withPropertyValues("distributed-lock.redlock.enabled=false")
                .run(started -> assertThat(started)
                        .doesNotHaveBean(RedlockProvider.class)
                        .doesNotHaveBean(RedlockConnections.class));
    }

    @Test
    void bindsItsProperties() {
        context.withPropertyValues(
                        "distributed-lock.key-prefix=shop:lock",
                        "distributed-lock.redlock.nodes=redis://a,redis://b,redis://c",
                        "distributed-lock.redlock.call-timeout=300ms",
                        "distributed-lock.redlock.connect-timeout=4s",
                        "distributed-lock.redlock.clock-drift=0.05",
                        "distributed-lock.redlock.restart-guard.enabled=true",
                        "distributed-lock.redlock.restart-guard.quarantine=90s")
                .run(started -> assertThat(started.getBean(RedlockOptions.class))
                        .isEqualTo(new RedlockOptions(
                                "shop:lock",
                                Duration.ofMillis(300),
                                Duration.ofSeconds(4),
                                0.05,
                                Optional.of(Duration.ofSeconds(90)))));
    }

    @Test
    void theRestartGuardIsOnUnlessSwitchedOff() {
        assertThat(RedlockOptions.defaults().restartGuard()).contains(Duration.ofSeconds(60));
        new ApplicationContextRunner()
                .withBean("lockRuntime", LockRuntime.class, LockRuntime::start)
                .withConfiguration(AutoConfigurations.of(RedlockAutoConfiguration.class))
                .withPropertyValues("distributed-lock.redlock.nodes=redis://a,redis://b,redis://c")
                .run(started ->
                        assertThat(started.getBean(RedlockOptions.class)).isEqualTo(RedlockOptions.defaults()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            redis://a                                           | 1 nodes are too few
            redis://a,redis://b                                 | list at least 3
            redis://a,redis://b,redis://c,redis://d             | 4 nodes are an even number
            redis://a,redis://b,redis://A:6379                  | node a:6379 is listed twice
            redis://a,redis://:s3cret-word@b/x,redis://c        | it has something after the port that is not a database number
            redis://a,http://s3cret-word@b,redis://c            | it starts with neither redis:// nor rediss://
            redis://a,redis://b,redis://u:s3cret-word^@c        | it is not a URI
            redis://a,redis://b,redis://u:s3cret-word@          | it has no host
            redis://a,redis://b,redis://u:s3cret-word@c:99999   | it has the port 99999
            redis://a,redis://b,redis-sentinel://u:s3cret-word@c | it starts with neither
            """)
    void refusesNodesThatCannotBeAndTellsNoPassword(String uris, String why) {
        context.withPropertyValues("distributed-lock.redlock.nodes=" + uris).run(started -> {
            assertThat(started.getStartupFailure()).rootCause().hasMessageContaining(why);
            assertThat(RedisLockAutoConfigurationTests.named(started.getStartupFailure()))
                    .startsWith("distributed-lock.redlock.nodes")
                    .matches(name -> !why.startsWith("it ") || name.matches(".*\\[[12]]"));
            for (Throwable each = started.getStartupFailure(); each != null; each = each.getCause()) {
                assertThat(String.valueOf(each.getMessage())).doesNotContain(PASSWORD);
            }
        });
    }

    @Test
    void refusesAMissingListOfNodes() {
        context.run(started -> assertThat(started.getStartupFailure())
                .rootCause()
                .hasMessageContaining("0 nodes are too few")
                .hasMessageContaining("list at least 3")
                .satisfies(any -> assertThat(RedisLockAutoConfigurationTests.named(started.getStartupFailure()))
                        .isEqualTo("distributed-lock.redlock.nodes")));
    }

    @Test
    void saysWhatIsWrongWithAProperty() {
        context.withPropertyValues("distributed-lock.redlock.clock-drift=2")
                .run(started -> assertThat(started.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("clock drift 2.0 is out of range")
                        .satisfies(any -> assertThat(RedisLockAutoConfigurationTests.named(started.getStartupFailure()))
                                .isEqualTo("distributed-lock.redlock.clock-drift")));
        context.withPropertyValues("distributed-lock.redlock.restart-guard.quarantine=3d")
                .run(started -> assertThat(started.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("quarantine after a restart 72h is out of range")
                        .satisfies(any -> assertThat(RedisLockAutoConfigurationTests.named(started.getStartupFailure()))
                                .isEqualTo("distributed-lock.redlock.restart-guard.quarantine")));
    }

    @Test
    void readsEachPartOfAUri() {
        assertThat(RedlockNodeSettings.parse("rediss://me:a%40b%2Bc+d@host:7000/3", "u", "p"))
                .isEqualTo(new RedlockConnectionDetails.Node("host", 7000, "me", "a@b+c+d", 3, true))
                .hasToString("host:7000");
        assertThat(RedlockNodeSettings.parse("redis://word@host", "u", "p"))
                .isEqualTo(new RedlockConnectionDetails.Node("host", 6379, "u", "word", 0, false));
        assertThat(RedlockNodeSettings.parse("redis://:word@host", "u", "p"))
                .isEqualTo(new RedlockConnectionDetails.Node("host", 6379, "u", "word", 0, false));
        assertThat(RedlockNodeSettings.parse("redis://[::1]:7000", null, null))
                .isEqualTo(new RedlockConnectionDetails.Node("[::1]", 7000, null, null, 0, false));
        assertThat(RedlockNodeSettings.parse("redis://:word@redis_node_1:7000", null, null))
                .isEqualTo(new RedlockConnectionDetails.Node("redis_node_1", 7000, null, "word", 0, false));
        assertThat(RedlockNodeSettings.parse("redis://host/", "u", "p"))
                .isEqualTo(new RedlockConnectionDetails.Node("host", 6379, "u", "p", 0, false));
    }

    @Test
    void givesWayToConnectionDetailsOfTheUser() {
        RedlockConnectionDetails details = () -> List.of(
                new RedlockConnectionDetails.Node("x", 1, null, null, 0, false),
                new RedlockConnectionDetails.Node("y", 1, null, null, 0, false),
                new RedlockConnectionDetails.Node("z", 1, null, null, 0, false));
        context.withBean(RedlockConnectionDetails.class, () -> details)
                .run(started -> assertThat(started)
                        .hasSingleBean(RedlockConnectionDetails.class)
                        .hasSingleBean(RedlockProvider.class));
    }

    @Test
    void closesTheProviderBeforeItsConnectionsAndThoseBeforeTheRuntime() {
        context.withPropertyValues("distributed-lock.redlock.nodes=redis://a:1,redis://b:1,redis://c:1")
                .run(started -> {
                    var beans = started.getSourceApplicationContext().getBeanFactory();
                    assertThat(beans.getDependentBeans("lockRuntime"))
                            .contains("redlockConnections", "redlockProvider");
                    assertThat(beans.getDependentBeans("redlockConnections")).contains("redlockProvider");
                });
    }
}
