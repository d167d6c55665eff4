package io.distlock.redis.fence.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.FencingToken;
import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.engine.LockClientBuilder;
import io.distlock.fencing.Fence;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.redis.fence.RedisFence;
import io.distlock.support.LockRuntime;
import io.distlock.test.redis.RedisExtension;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class RedisFenceAutoConfigurationTests {

    private static final String ENABLED = "distributed-lock.redis.fencing.enabled=true";

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    private final ApplicationContextRunner context = new ApplicationContextRunner()
            .withBean(LockRuntime.class, LockRuntime::start)
            .withBean(LockClient.class, () -> {
                LockRuntime runtime = LockRuntime.start();
                return LockClientBuilder.of(new InMemoryLockProvider(runtime), runtime)
                        .build();
            })
            .withConfiguration(
                    AutoConfigurations.of(DataRedisAutoConfiguration.class, RedisFenceAutoConfiguration.class));

    @Test
    void byDefaultThereIsNoFence() {
        context.run(started -> assertThat(started).doesNotHaveBean(Fence.class));
    }

    @Test
    void theFenceIsInTheApplicationsRedisWhateverTheProvider() {
        context.withPropertyValues(
                        ENABLED,
                        "distributed-lock.redis.fencing.key-prefix=shop:fence",
                        "distributed-lock.key-prefix=shop",
                        "distributed-lock.max-hold-time=4d",
                        "distributed-lock.redis.fencing.retention=8d",
                        "spring.data.redis.host=" + redis.server().host(),
                        "spring.data.redis.port=" + redis.server().port())
                .run(started -> {
                    started.getBean(RedisFence.class)
                            .advance(new Sequencer(LockKey.of("a"), LockMode.EXCLUSIVE, new FencingToken(7)));
                    assertThat(redis.probe().get("shop:fence:{a}:a{shop}")).contains("7 in-memory:shop");
                    assertThat(redis.probe().ttlMillis("shop:fence:{a}:a{shop}").orElseThrow())
                            .isBetween(
                                    Duration.ofDays(8).minusHours(1).toMillis(),
                                    Duration.ofDays(8).toMillis());
                });
    }

    @Test
    void aFenceThatCouldExpireUnderALiveHolderIsRefused() {
        context.withPropertyValues(
                        ENABLED, "distributed-lock.max-hold-time=4d", "distributed-lock.redis.fencing.retention=7d")
                .run(started -> assertThat(started)
                        .getFailure()
                        .hasStackTraceContaining("distributed-lock.redis.fencing.retention")
                        .hasStackTraceContaining("at least twice distributed-lock.max-hold-time, which is 96h"));
    }

    @Test
    void aKeyPrefixWithBracesIsRefused() {
        context.withPropertyValues(ENABLED, "distributed-lock.redis.fencing.key-prefix={a}")
                .run(started -> assertThat(started)
                        .getFailure()
                        .hasStackTraceContaining("distributed-lock.redis.fencing.key-prefix"));
    }

    @Test
    void aNativeImageGetsTheScripts() {
        RuntimeHints hints = new RuntimeHints();
        new RedisFenceAutoConfiguration.ScriptHints()
                .registerHints(hints, getClass().getClassLoader());
        for (String script : List.of("fence.lua", "fence-command.lua")) {
            assertThat(RuntimeHintsPredicates.resource().forResource("io/distlock/redis/fence/" + script))
                    .accepts(hints);
        }
    }
}
