package io.distlock.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.Fence;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.jdbc.fence.FenceTable;
import io.distlock.jdbc.fence.JdbcFence;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.autoconfigure.LockAutoConfiguration;
import io.distlock.spring.interceptor.LockAopAutoConfiguration;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.core.Ordered;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.SimpleTransactionStatus;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What stops the start, and what does not. */
class LockHttpStartTests {

    private static final String SECRET = "distributed-lock.http.secret=0123456789abcdef0123456789abcdef";

    private final ApplicationContextRunner context = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    LockHttpClientAutoConfiguration.class,
                    LockHttpServerAutoConfiguration.class));

    @Test
    void withoutAnAnnotationNothingIsNeeded() {
        context.run(started -> assertThat(started).hasNotFailed());
    }

    @Test
    void neitherBootsClientsNorTransactionsAreNeeded() {
        context.withClassLoader(new FilteredClassLoader(
                        RestClientCustomizer.class, WebClientCustomizer.class, PlatformTransactionManager.class))
                .withPropertyValues(SECRET)
                .run(started -> assertThat(started).hasNotFailed().hasBean("requiredLockReceiver"));
    }

    @Test
    void somethingMustBeAbleToTellAGenuineGrant() {
        assertStops(
                context.withBean(Good.class),
                "there is no lock provider: add one, or set distributed-lock.http.secret");
        context.withBean(Good.class)
                .withPropertyValues(SECRET)
                .run(started -> assertThat(started).hasNotFailed());
    }

    @Test
    void theChosenFenceMustExist() {
        assertStops(
                context.withBean(Good.class).withPropertyValues(SECRET, "distributed-lock.http.server.fence=redis"),
                "add lock-redis-fence and set distributed-lock.redis.fencing.enabled to true, or give your own fence that name"
                        + " (the fences here are [])");
        assertStops(
                context.withBean(Good.class)
                        .withBean("stockFence", Fence.class, () -> sequencer -> {})
                        .withPropertyValues(SECRET, "distributed-lock.http.server.fence=jdbc"),
                "there is no bean jdbcFence: add lock-jdbc-fence and set distributed-lock.jdbc.fencing.enabled to true",
                "(the fences here are [stockFence])");
    }

    /** The manager of the fence's data source counts, not the primary one. */
    @Test
    void aFenceInADatabaseNeedsAManagerOfItsTransactions() {
        DataSource fenced =
                new DriverManagerDataSource("jdbc:h2:mem:fenced-" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        DataSource other = new DriverManagerDataSource("jdbc:h2:mem:other-" + UUID.randomUUID());
        new ResourceDatabasePopulator(new ClassPathResource("io/distlock/jdbc/fence/schema-h2.sql")).execute(fenced);
        ApplicationContextRunner runner = context.withBean(Good.class)
                .withPropertyValues(SECRET, "distributed-lock.http.server.fence=jdbc")
                .withBean(
                        "jdbcFence",
                        Fence.class,
                        () -> new JdbcFence(fenced, new FenceTable(FenceTable.DEFAULT_NAME, "lock"), "redis"))
                .withBean(
                        "others",
                        PlatformTransactionManager.class,
                        () -> new JdbcTransactionManager(other),
                        definition -> definition.setPrimary(true));
        assertStops(
                runner,
                "no transaction manager begins transactions of the fence's database",
                "outside a transaction of the fence's data source");
        runner.withBean("fences", PlatformTransactionManager.class, () -> new JdbcTransactionManager(fenced))
                .run(started -> {
                    started.getBean(RequireLockInterceptor.Receiver.class)
                            .verifier()
                            .verify(new Sequencer(LockKey.of("a"), LockMode.EXCLUSIVE, new FencingToken(7)));
                    assertThat(new JdbcTemplate(fenced)
                                    .queryForList("select token from distributed_lock_fence", Long.class))
                            .containsExactly(7L);
                });
    }

    /** As one with a floor: it has compared, and so it takes part. */
    @Test
    void aFenceThatFindsTheProbeStaleTakesPartInTheTransactions() {
        List<String> transactions = new ArrayList<>();
        context.withBean(Good.class)
                .withPropertyValues(SECRET, "distributed-lock.http.server.fence=jdbc")
                .withBean("jdbcFence", Fence.class, () -> sequencer -> {
                    throw new StaleFencingTokenException(sequencer, "the floor is 5");
                })
                .withBean(PlatformTransactionManager.class, () -> new RecordedTransactions(transactions))
                .run(started -> {
                    assertThat(started).hasNotFailed();
                    assertThat(transactions).containsExactly("begin", "rollback");
                });
    }

    @Test
    void ofSeveralManagersOfTheFencesTransactionsThePrimaryOneIsUsed() {
        List<String> transactions = new ArrayList<>();
        List<String> others = new ArrayList<>();
        context.withBean(Good.class)
                .withPropertyValues(SECRET, "distributed-lock.http.server.fence=jdbc")
                .withBean("jdbcFence", Fence.class, () -> sequencer -> {})
                .withBean("another", PlatformTransactionManager.class, () -> new RecordedTransactions(others))
                .withBean(
                        "primary",
                        PlatformTransactionManager.class,
                        () -> new RecordedTransactions(transactions),
                        definition -> definition.setPrimary(true))
                .run(started -> {
                    started.getBean(RequireLockInterceptor.Receiver.class)
                            .verifier()
                            .verify(new Sequencer(LockKey.of("a"), LockMode.EXCLUSIVE, new FencingToken(7)));
                    assertThat(transactions).endsWith("begin", "commit");
                    assertThat(others).isEmpty();
                });
    }

    private record RecordedTransactions(List<String> transactions) implements PlatformTransactionManager {

        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            transactions.add("begin");
            return new SimpleTransactionStatus();
        }

        @Override
        public void commit(TransactionStatus status) {
            transactions.add("commit");
        }

        @Override
        public void rollback(TransactionStatus status) {
            transactions.add("rollback");
        }
    }

    /** A proxy is made in the context of its bean. */
    @Test
    void aParentOrChildContextWithoutTheAutoConfigurationStopsTheStart() {
        ApplicationContextRunner plain = new ApplicationContextRunner().withBean("good", Good.class);
        String message =
                "of bean 'good' would be ignored: it is in a parent or child context without the auto-configuration";
        context.run(parent -> assertStops(plain.withParent(parent.getSourceApplicationContext()), message));
        plain.run(parent -> assertStops(context.withParent(parent.getSourceApplicationContext()), message));
        context.run(parent -> new ApplicationContextRunner()
                .withParent(parent.getSourceApplicationContext())
                .run(child -> assertThat(child).hasNotFailed()));
    }

    @Test
    void allContextsAboveAreLookedAt() {
        new ApplicationContextRunner()
                .withBean("good", Good.class)
                .run(above -> new ApplicationContextRunner()
                        .withParent(above.getSourceApplicationContext())
                        .run(parent -> assertStops(
                                context.withParent(parent.getSourceApplicationContext()),
                                "of bean 'good' would be ignored: it is in a parent or child context")));
    }

    @Test
    void aMethodThatCannotBeInterceptedStopsTheStart() {
        for (Class<?> each : List.of(PrivateMethod.class, StaticMethod.class)) {
            assertStops(
                    context.withBean("hidden", each).withPropertyValues(SECRET),
                    "of bean 'hidden' would be ignored: a private, static or final method cannot be intercepted");
        }
        assertStops(
                context.withBean("finalMethod", FinalMethod.class).withPropertyValues(SECRET),
                "of bean 'finalMethod' would be ignored: a private, static or final method cannot be intercepted");
        assertStops(
                new ApplicationContextRunner()
                        .withConfiguration(AutoConfigurations.of(
                                LockHttpClientAutoConfiguration.class, LockHttpServerAutoConfiguration.class))
                        .withBean(Good.class)
                        .withPropertyValues(SECRET),
                "would be ignored: the bean has no proxy");
    }

    @Test
    void anAnnotationThatCannotBeUsedStopsTheStart() {
        assertStops(context.withBean(NoExpression.class).withPropertyValues(SECRET), "cannot be used");
        assertStops(context.withBean(NoName.class).withPropertyValues(SECRET), "lock name \"\" is blank");
    }

    @Test
    void aParameterThatDoesNotExistStopsTheStart() {
        assertStops(
                context.withBean(NoParameter.class).withPropertyValues(SECRET),
                "there is no parameter for #item in its key: the names are [id]");
        assertStops(context.withBean(NoSecond.class).withPropertyValues(SECRET), "there is no parameter for #p1");
        context.withBean(Parameters.class)
                .withPropertyValues(SECRET)
                .run(started -> assertThat(started).hasNotFailed());
    }

    @Test
    void aMethodBehindTheProxyOfAnInterfaceIsChecked() {
        assertStops(
                context.withBean("behind", Runnable.class, Behind::new)
                        .withPropertyValues(SECRET, "spring.aop.proxy-target-class=false"),
                "cannot be used");
        context.withBean("behind", Runnable.class, GoodBehind::new)
                .withPropertyValues(SECRET, "spring.aop.proxy-target-class=false")
                .run(started -> {
                    assertThat(started).hasNotFailed().hasBean("requiredLockReceiver");
                    // Its annotation is found, and so it does not run.
                    assertThatIllegalStateException()
                            .isThrownBy(started.getBean("behind", Runnable.class)::run)
                            .withMessageContaining("GoodBehind.run() has @RequireLock, but was not called");
                });
    }

    @Test
    void aHostMayBeNamedWithADefaultPortOrAsAnAddress() {
        TargetHosts hosts = TargetHosts.of(Set.of("stock:443", "plain:80", "[::1]", "[::2]:8443"));
        for (String included : new String[] {
            "https://stock/7", "HTTPS://STOCK/7", "http://plain", "http://[::1]:8080", "https://[::2]:8443"
        }) {
            assertThat(hosts.includes(URI.create(included))).isTrue();
        }
        for (String other : new String[] {"http://stock/7", "https://stock:80", "https://plain", "https://[::2]"}) {
            assertThat(hosts.includes(URI.create(other))).isFalse();
        }
    }

    @Test
    void whatIsNoHostIsRefusedWhereverItIsAmongTheHosts() {
        for (String wrong :
                List.of("", "stock/7", "//stock", "*", "stock.*", "::1", " ::1", "fe80::1:8443", "stock:8443:1")) {
            for (List<String> hosts : List.of(List.of(wrong), List.of(wrong, "stock"), List.of("stock", wrong))) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> TargetHosts.of(hosts))
                        .withMessageContaining("\"" + wrong + "\" is not a host");
            }
        }
        assertThat(TargetHosts.of(List.of(" [::1]", "stock:8443 ", "a.b")).hosts())
                .containsExactlyInAnyOrder("[::1]", "stock:8443", "a.b");
    }

    @Test
    void aHostIsTakenWithoutTheSpacesAroundItAndIsMoreThanSpaces() {
        assertThat(TargetHosts.of(Set.of(" Stock ")).includes(URI.create("http://stock/7")))
                .isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TargetHosts.of(Set.of(" ")))
                .withMessageContaining("is not a host");
    }

    /** Spring Security's advisors have the orders 100 to 600. Nobody else learns which locks are held. */
    @Test
    void theLockIsCheckedAfterTheCallersRights() {
        context.run(started -> assertThat(
                        started.getBean("requireLockAdvisor", Ordered.class).getOrder())
                .isGreaterThan(600));
    }

    /** A call that is refused keeps nobody out, and does not wait. */
    @Test
    void theLockIsCheckedBeforeTheMethodsOwnIsTaken() {
        context.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockAopAutoConfiguration.class))
                .withBean(
                        "inMemoryLockProvider",
                        FaultyLockProvider.class,
                        () -> new FaultyLockProvider(
                                new InMemoryLockProvider(ManualScheduler.runtime(new ManualTicker()))))
                .withBean(Locking.class)
                .withPropertyValues("distributed-lock.provider=in-memory")
                .run(started -> {
                    assertThatIllegalStateException()
                            .isThrownBy(started.getBean(Locking.class)::run)
                            .withMessageContaining("has @RequireLock, but was not called");
                    assertThat(started.getBean(FaultyLockProvider.class).acquires())
                            .isZero();
                });
    }

    @Test
    void aShortSecretIsRefusedAndNotShown() {
        context.withPropertyValues("distributed-lock.http.secret=swordfish")
                .run(started -> assertThat(started).getFailure().satisfies(failure -> {
                    var trace = new StringWriter();
                    failure.printStackTrace(new PrintWriter(trace));
                    assertThat(trace.toString())
                            .contains("distributed-lock.http.secret", "use at least 32")
                            .doesNotContain("swordfish");
                }));
    }

    @Test
    void hostsAreNamesWithoutSchemes() {
        for (String wrong : new String[] {"http://stock", "*.example.com", "::1"}) {
            assertStops(
                    context.withPropertyValues("distributed-lock.http.client.hosts=" + wrong),
                    "\"" + wrong + "\" is not a host");
        }
    }

    @Test
    void inWebFluxAMethodMustReturnAPublisher() {
        var reactive = new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        LockHttpClientAutoConfiguration.class,
                        LockHttpServerAutoConfiguration.class))
                .withPropertyValues(SECRET);
        reactive.withBean(Good.class)
                .run(started -> assertThat(started)
                        .getFailure()
                        .hasStackTraceContaining("cannot be checked in a WebFlux application"));
        reactive.withBean(Eager.class)
                .run(started ->
                        assertThat(started).getFailure().hasStackTraceContaining("let the method return a publisher"));
        // Its subscriber has no context, so it would never find its request.
        reactive.withBean(OfTheJdk.class)
                .run(started ->
                        assertThat(started).getFailure().hasStackTraceContaining("let the method return a publisher"));
        reactive.withBean(Publishers.class).run(started -> assertThat(started).hasNotFailed());
    }

    @Test
    void theSecretsThatAreAcceptedBesidesNeedTheOneThatSigns() {
        String accepted = "distributed-lock.http.accepted-secrets=fedcba9876543210fedcba9876543210";
        assertStops(context.withPropertyValues(accepted), "accepted-secrets needs distributed-lock.http.secret");
        context.withPropertyValues(SECRET, accepted)
                .run(started -> assertThat(started).hasNotFailed());
        context.withPropertyValues(SECRET, "distributed-lock.http.accepted-secrets=swordfish")
                .run(started -> assertThat(started)
                        .getFailure()
                        .hasStackTraceContaining("accepted-secrets: the secret for Lock-Sequencer has 9 characters"));
    }

    @Test
    void theSecretSignsAndThoseThatAreAcceptedBesidesDoNot() {
        String secret = "0123456789abcdef0123456789abcdef";
        String later = "fedcba9876543210fedcba9876543210";
        Sequencer sequencer = new Sequencer(LockKey.of("a"), LockMode.EXCLUSIVE, new FencingToken(7));
        SequencerHeader header = header(secret, later);
        assertThat(header.value(sequencer)).isEqualTo(new SequencerHeader(List.of(secret)).value(sequencer));
        assertThat(header.parse(List.of(new SequencerHeader(List.of(later)).value(sequencer))))
                .containsValue(sequencer);
    }

    /** As a property that stands for no secret, such as an empty environment variable. */
    @Test
    void anEmptySecretIsNone() {
        assertThat(header("").isSigned()).isFalse();
    }

    private static SequencerHeader header(String secret, String... accepted) {
        return new LockHttpProperties(
                        secret,
                        List.of(accepted),
                        new LockHttpProperties.Client(Set.of()),
                        new LockHttpProperties.Server(LockHttpProperties.FenceStore.MEMORY))
                .header();
    }

    private static void assertStops(ApplicationContextRunner runner, String... messages) {
        for (String message : messages) {
            runner.run(started -> assertThat(started).getFailure().hasStackTraceContaining(message));
        }
    }

    static class Good {

        @RequireLock(name = "a")
        public void run() {}
    }

    static class Eager {

        @RequireLock(name = "a")
        public CompletableFuture<String> run() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class OfTheJdk {

        @RequireLock(name = "stock")
        public Flow.Publisher<String> read() {
            return JdkFlowAdapter.publisherToFlowPublisher(Flux.empty());
        }
    }

    static class Publishers {

        @RequireLock(name = "a")
        public Mono<String> one() {
            return Mono.empty();
        }

        @RequireLock(name = "a")
        public Flux<String> many() {
            return Flux.empty();
        }
    }

    static class FinalMethod {

        @RequireLock(name = "a")
        public final void run() {}
    }

    static class PrivateMethod {

        @RequireLock(name = "a")
        @SuppressWarnings("UnusedMethod") // as in an application with this mistake
        private void run() {}
    }

    static class StaticMethod {

        @RequireLock(name = "a")
        public static void run() {}
    }

    static class Locking {

        @RequireLock(name = "a")
        @DistributedLock(name = "b")
        public void run() {}
    }

    static class NoExpression {

        @RequireLock(name = "a", key = "#(")
        public void run() {}
    }

    static class NoName {

        @RequireLock(name = "")
        public void run() {}
    }

    static class NoParameter {

        @RequireLock(name = "a", key = "'x' + (#item ?: 'y')")
        public void run(String id) {}
    }

    static class NoSecond {

        @RequireLock(name = "a", key = "#p1")
        public void run(String id) {}
    }

    static class Parameters {

        @RequireLock(name = "a", key = "#id + #p1 + #a0 + #root.method.name + {1}.?[#this > 0][0]")
        public void run(String id, String other) {}
    }

    static class Behind implements Runnable {

        @Override
        @RequireLock(name = "a", key = "#(")
        public void run() {}
    }

    static class GoodBehind implements Runnable {

        @Override
        @RequireLock(name = "a")
        public void run() {}
    }
}
