package io.distlock.house;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each rule is shown a class that breaks it. */
class HouseRulesTests {

    @TempDir
    Path directory;

    Sources sources;

    @BeforeEach
    void newSources() {
        sources = new Sources(directory);
    }

    @Test
    void refusesACycleOfPackages() throws IOException {
        sources.with("io.distlock.redis.one.A", "io.distlock.redis.two.B b;")
                .with("io.distlock.redis.two.B", "io.distlock.redis.one.A a;");

        assertRefused(HouseRules.PACKAGES_HAVE_NO_CYCLES, "Cycle detected");
    }

    @Test
    void refusesACycleBetweenAPackageAndItsSubPackage() throws IOException {
        sources.with("io.distlock.redis.A", "io.distlock.redis.two.B b;")
                .with("io.distlock.redis.two.B", "io.distlock.redis.A a;");

        assertRefused(HouseRules.PACKAGES_HAVE_NO_CYCLES, "Cycle detected");
    }

    @Test
    void refusesAnSpiThatKnowsTheEngine() throws IOException {
        sources.with("io.distlock.spi.A", "io.distlock.engine.B b;").with("io.distlock.engine.B", "");

        assertRefused(HouseRules.IMPORTS_FOLLOW_THE_TABLE, "io.distlock.spi.A.b");
    }

    @Test
    void refusesAnApiThatKnowsTheSpi() throws IOException {
        sources.with("io.distlock.A", "io.distlock.spi.B b;").with("io.distlock.spi.B", "");

        assertRefused(HouseRules.IMPORTS_FOLLOW_THE_TABLE, "io.distlock.A.b");
    }

    @Test
    void refusesProvidersThatKnowEachOther() throws IOException {
        sources.with("io.distlock.redis.A", "io.distlock.etcd.B b;").with("io.distlock.etcd.B", "");

        assertRefused(HouseRules.IMPORTS_FOLLOW_THE_TABLE, "io.distlock.redis.A.b");
    }

    @Test
    void refusesAnApplicationOfTheInsideOfAProvider() throws IOException {
        sources.with("io.distlock.benchmarks.A", "io.distlock.etcd.client.B b;").with("io.distlock.etcd.client.B", "");

        assertRefused(HouseRules.IMPORTS_FOLLOW_THE_TABLE, "io.distlock.benchmarks.A.b");
    }

    @Test
    void refusesAStarterThatKnowsAProvider() throws IOException {
        sources.with("io.distlock.spring.A", "io.distlock.redis.B b;").with("io.distlock.redis.B", "");

        assertRefused(HouseRules.IMPORTS_FOLLOW_THE_TABLE, "io.distlock.spring.A.b");
    }

    @Test
    void refusesAFloorOfAProviderThatIsNotForThePackage() throws IOException {
        sources.with("io.distlock.redis.autoconfigure.A", "io.distlock.redis.script.B b;")
                .with("io.distlock.redis.script.B", "");

        assertRefused(HouseRules.IMPORTS_FOLLOW_THE_TABLE, "io.distlock.redis.autoconfigure.A.b");
    }

    @Test
    void refusesANewProviderThatKnowsAnotherOrTheEngineOrTheStarter() throws IOException {
        sources.with("io.distlock.zookeeper.A", "io.distlock.redis.B b;").with("io.distlock.redis.B", "");
        sources.with("io.distlock.zookeeper.watch.C", "io.distlock.engine.D d;").with("io.distlock.engine.D", "");
        sources.with("io.distlock.zookeeper.autoconfigure.E", "io.distlock.spring.F[] f;")
                .with("io.distlock.spring.F", "");

        assertRefused(HouseRules.IMPORTS_FOLLOW_THE_TABLE, "io.distlock.zookeeper.A.b");
        assertRefused(HouseRules.IMPORTS_FOLLOW_THE_TABLE, "io.distlock.zookeeper.watch.C.d");
        assertRefused(HouseRules.IMPORTS_FOLLOW_THE_TABLE, "io.distlock.zookeeper.autoconfigure.E.f");
    }

    @Test
    void allowsANewProviderWithoutARow() throws IOException {
        sources.with("io.distlock.zookeeper.A", "io.distlock.spi.B b; io.distlock.zookeeper.watch.C c;")
                .with("io.distlock.spi.B", "")
                .with("io.distlock.zookeeper.watch.C", "io.distlock.support.D d;")
                .with("io.distlock.support.D", "")
                .with(
                        "io.distlock.zookeeper.autoconfigure.E",
                        "io.distlock.autoconfigure.F f; io.distlock.zookeeper.A a;")
                .with("io.distlock.autoconfigure.F", "");

        HouseRules.IMPORTS_FOLLOW_THE_TABLE.check(sources.compile());
    }

    @Test
    void allowsWhatTheTableAllows() throws IOException, IllegalAccessException {
        sources.with("io.distlock.A", "")
                .with("io.distlock.spi.B", "io.distlock.A a;")
                .with("io.distlock.support.C", "io.distlock.spi.B b;")
                .with("io.distlock.engine.D", "io.distlock.support.C c;")
                .with("io.distlock.inmemory.E", "io.distlock.support.C c;")
                .with("io.distlock.redis.autoconfigure.F", "io.distlock.support.C c;");

        var classes = sources.compile();
        for (Field rule : HouseRules.class.getFields()) {
            ((ArchRule) rule.get(null)).check(classes);
        }
    }

    @Test
    void refusesAPackageThatIsNotNullMarked() throws IOException {
        sources.withUnmarked("io.distlock.support.A", "");

        assertRefused(HouseRules.PACKAGES_ARE_NULL_MARKED, "package of io.distlock.support.A is not @NullMarked");
    }

    @Test
    void refusesAnImportOfAnAutoConfiguration() throws IOException {
        sources.with("io.distlock.redis.A", "io.distlock.redis.autoconfigure.B b;")
                .with("io.distlock.redis.autoconfigure.B", "");

        assertRefused(HouseRules.NOBODY_IMPORTS_AN_AUTO_CONFIGURATION, "io.distlock.redis.A.b");
    }

    @Test
    void refusesAnImportOfAnAutoConfigurationThatStandsBesideWhatItWires() throws IOException {
        sources.with("io.distlock.spring.metrics.A", "LockMetricsAutoConfiguration b;")
                .with("io.distlock.spring.metrics.LockMetricsAutoConfiguration", "");

        assertRefused(HouseRules.NOBODY_IMPORTS_AN_AUTO_CONFIGURATION, "io.distlock.spring.metrics.A.b");
    }

    @Test
    void refusesAStarterThatKnowsADriver() throws IOException {
        sources.with("io.distlock.spring.A", "io.lettuce.core.B b;").with("io.lettuce.core.B", "");

        assertRefused(HouseRules.THE_STARTER_KNOWS_NO_STORE, "io.distlock.spring.A.b");
    }

    @Test
    void refusesAProviderThatNeedsBoot() throws IOException {
        sources.with("io.distlock.redis.A", "org.springframework.boot.B b;").with("org.springframework.boot.B", "");

        assertRefused(HouseRules.PROVIDERS_WORK_WITHOUT_BOOT, "io.distlock.redis.A.b");
    }

    @Test
    void refusesATestKitThatNeedsSpring() throws IOException {
        sources.with("io.distlock.test.provider.A", "org.springframework.test.B b;")
                .with("org.springframework.test.B", "");

        assertRefused(HouseRules.THE_TEST_KIT_WORKS_WITHOUT_SPRING, "io.distlock.test.provider.A.b");
    }

    @Test
    void refusesAContractThatNeedsSpring() throws IOException {
        sources.with("io.distlock.tck.A", "org.springframework.test.B b;").with("org.springframework.test.B", "");

        assertRefused(HouseRules.THE_TEST_KIT_WORKS_WITHOUT_SPRING, "io.distlock.tck.A.b");
    }

    @Test
    void refusesAContractThatKnowsTheTestKit() throws IOException {
        sources.with("io.distlock.tck.A", "io.distlock.test.provider.B b;").with("io.distlock.test.provider.B", "");

        assertRefused(HouseRules.IMPORTS_FOLLOW_THE_TABLE, "io.distlock.tck.A.b");
    }

    @Test
    void refusesAClockThatIsNotInjected() throws IOException {
        sources.with("io.distlock.engine.A", "long now() { return System.nanoTime(); }");

        assertRefused(HouseRules.TIME_COMES_FROM_A_TICKER, "java.lang.System.nanoTime()");
    }

    @Test
    void refusesAReferenceToAClock() throws IOException {
        sources.with("io.distlock.engine.A", "java.util.function.Supplier<?> clock = java.time.Instant::now;");

        assertRefused(HouseRules.TIME_COMES_FROM_A_TICKER, "java.time.Instant.now()");
    }

    @Test
    void refusesTheCommonPool() throws IOException {
        sources.with(
                "io.distlock.engine.A",
                "Object a(java.util.concurrent.CompletionStage<?> stage) { return stage.thenRunAsync(() -> {}); }");

        assertRefused(HouseRules.NOTHING_RUNS_IN_THE_COMMON_POOL, "thenRunAsync");
    }

    @Test
    void allowsAnExecutorOfOnesOwn() throws IOException {
        sources.with("io.distlock.engine.A", """
                Object a(java.util.concurrent.CompletionStage<?> stage, java.util.concurrent.ExecutorService own) {
                    return stage.thenRunAsync(() -> {}, own);
                }
                """);

        HouseRules.NOTHING_RUNS_IN_THE_COMMON_POOL.check(sources.compile());
    }

    @Test
    void refusesAProviderWithoutContractTests() throws IOException {
        sources.withInterface("io.distlock.spi.LockProvider")
                .with("io.distlock.redis.A", "static class OtherProvider implements io.distlock.spi.LockProvider {}");

        assertRefused(
                HouseRules.PROVIDERS_KEEP_THE_CONTRACT,
                "has no OtherProviderContractTests extends LockProviderContract");
    }

    @Test
    void allowsAProviderWithContractTests() throws IOException {
        sources.withInterface("io.distlock.spi.LockProvider")
                .with(
                        "io.distlock.inmemory.A",
                        "static class InMemoryLockProvider implements io.distlock.spi.LockProvider {}");

        HouseRules.PROVIDERS_KEEP_THE_CONTRACT.check(sources.compile());
    }

    private void assertRefused(ArchRule rule, String message) throws IOException {
        var classes = sources.compile();
        assertThat(classes).isNotEmpty();
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> rule.check(classes))
                .withMessageContaining(message);
    }
}
