package io.distlock.house;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Who may import whom among this project's packages. One that has no row is a provider's: it sees what providers are made
 * of, and what is below the package of its store.
 */
final class ImportTable {

    private static final String OURS = "io.distlock..";
    private static final String API = "io.distlock";
    private static final String FENCING = "io.distlock.fencing";
    private static final String SPI = "io.distlock.spi";
    private static final String SUPPORT = "io.distlock.support";
    private static final String ENGINE = "io.distlock.engine";
    private static final String LEADER = "io.distlock.leader";
    private static final String IN_MEMORY = "io.distlock.inmemory";
    private static final String AUTO_CONFIGURATION = "io.distlock.autoconfigure";
    private static final String REDIS = "io.distlock.redis";
    private static final String REDIS_CONNECTION = "io.distlock.redis.connection";
    private static final String REDIS_SCRIPT = "io.distlock.redis.script";
    private static final String REDLOCK = "io.distlock.redis.redlock";
    private static final String REDIS_FENCE = "io.distlock.redis.fence";
    private static final String ETCD = "io.distlock.etcd";
    private static final String ETCD_CLIENT = "io.distlock.etcd.client";
    private static final String ETCD_WATCH = "io.distlock.etcd.watch";

    private static final List<Row> ROWS = List.of(
            new Row(API),
            new Row(SPI, API),
            new Row(SUPPORT, API, SPI),
            new Row(ENGINE, API, SPI, SUPPORT),
            new Row(LEADER, API, SPI, SUPPORT, ENGINE),
            new Row(IN_MEMORY, API, SPI, SUPPORT),
            new Row(REDIS_CONNECTION, SPI, SUPPORT),
            new Row(REDIS_SCRIPT, API, SPI, SUPPORT, REDIS_CONNECTION),
            new Row(REDIS, API, SPI, SUPPORT, REDIS_CONNECTION, REDIS_SCRIPT),
            new Row(REDLOCK, API, SPI, SUPPORT, REDIS_CONNECTION, REDIS_SCRIPT, REDIS),
            new Row(AUTO_CONFIGURATION, API),
            new Row(
                    "io.distlock.redis.autoconfigure",
                    API,
                    SUPPORT,
                    AUTO_CONFIGURATION,
                    REDIS_CONNECTION,
                    REDIS,
                    REDLOCK),
            new Row(ETCD_CLIENT, SUPPORT),
            new Row(ETCD_WATCH, SUPPORT),
            new Row(ETCD, API, SPI, SUPPORT, ETCD_CLIENT, ETCD_WATCH),
            new Row("io.distlock.etcd.autoconfigure..", API, SPI, SUPPORT, AUTO_CONFIGURATION, ETCD),
            new Row(FENCING, API),
            new Row(REDIS_FENCE, API, FENCING, SPI),
            new Row("io.distlock.redis.fence.autoconfigure", API, AUTO_CONFIGURATION, REDIS_FENCE),
            new Row("io.distlock.jdbc", API, SPI, SUPPORT),
            new Row("io.distlock.jdbc.autoconfigure", API, SUPPORT, AUTO_CONFIGURATION, "io.distlock.jdbc"),
            new Row("io.distlock.jdbc.fence", API, FENCING),
            new Row(
                    "io.distlock.jdbc.fence.autoconfigure",
                    API,
                    FENCING,
                    AUTO_CONFIGURATION,
                    "io.distlock.jdbc.fence",
                    "io.distlock.spring",
                    "io.distlock.spring.transaction"),
            new Row("io.distlock.http", API, FENCING, SPI, "io.distlock.spring", "io.distlock.spring.execution"),
            new Row("io.distlock.spring..", API, SPI, SUPPORT, ENGINE, LEADER, IN_MEMORY, AUTO_CONFIGURATION),
            new Row("io.distlock.test..", API, SPI, SUPPORT, ENGINE, IN_MEMORY),
            new Row("io.distlock.tck", API, SPI, SUPPORT, ENGINE, LEADER),
            new Row("io.distlock.shedlock", API),
            new Row("io.distlock.integration", API, SPI, LEADER),
            new Row(
                    "io.distlock.benchmarks..",
                    API,
                    SPI,
                    SUPPORT,
                    ENGINE,
                    REDIS,
                    REDIS_CONNECTION,
                    REDLOCK,
                    ETCD,
                    LEADER,
                    "io.distlock.jdbc",
                    "io.distlock.zookeeper",
                    "io.distlock.spring..",
                    "io.distlock.test.."),
            new Row(
                    "io.distlock.chaos..",
                    API,
                    SPI,
                    SUPPORT,
                    ENGINE,
                    REDIS,
                    REDIS_CONNECTION,
                    REDLOCK,
                    ETCD,
                    LEADER,
                    "io.distlock.jdbc",
                    "io.distlock.zookeeper",
                    "io.distlock.test.."),
            new Row("io.distlock.house.."));

    /** Packages whose types are public only for other packages of this project. */
    static final Set<String> INTERNAL = Set.of(
            REDIS_CONNECTION,
            REDIS_SCRIPT,
            ETCD_CLIENT,
            ETCD_WATCH,
            "io.distlock.spring.client",
            "io.distlock.spring.execution");

    /** Types of other packages that are public for the engine and for the providers of this project alone. */
    static final Set<String> INTERNAL_TYPES = Set.of(
            SUPPORT + ".Backoff",
            SUPPORT + ".CallsInFlight",
            SUPPORT + ".CallsInTurn",
            SUPPORT + ".ClockJumpDetector",
            SUPPORT + ".DueSet",
            SUPPORT + ".Futures");

    /** Those in them that an application may define as a bean of its own. */
    static final Set<String> SUPPORTED = Set.of(REDIS_CONNECTION + ".RedisConnections");

    private ImportTable() {}

    /** Whether a type, if public, is so only for other packages of this project. */
    static boolean isInternal(JavaClass type) {
        String file = type.getName().replaceAll("\\$.*", "");
        return INTERNAL_TYPES.contains(file) || (INTERNAL.contains(type.getPackageName()) && !SUPPORTED.contains(file));
    }

    static ArchRule rule() {
        List<ArchRule> rules = ROWS.stream().map(Row::rule).toList();
        return CompositeArchRule.of(otherProviders())
                .and(CompositeArchRule.of(rules))
                .as("packages import only what ImportTable allows them");
    }

    private static ArchRule otherProviders() {
        String[] known = ROWS.stream().map(Row::from).toArray(String[]::new);
        return classes()
                .that()
                .resideOutsideOfPackages(known)
                .should(new ArchCondition<>("import what a provider is made of, and what is its own") {

                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        type.getDirectDependenciesFromSelf().stream()
                                .filter(each -> !isAllowed(type, each.getTargetClass()))
                                .forEach(
                                        each -> events.add(SimpleConditionEvent.violated(type, each.getDescription())));
                    }
                })
                .allowEmptyShould(true);
    }

    private static boolean isAllowed(JavaClass from, JavaClass imported) {
        String target = imported.getBaseComponentType().getPackageName();
        return !(target + '.').startsWith(API + '.')
                || Set.of(API, SPI, SUPPORT, AUTO_CONFIGURATION).contains(target)
                || store(target).equals(store(from.getPackageName()));
    }

    /** The package below {@code io.distlock} that all of a provider is in. */
    private static String store(String packageName) {
        return packageName.split("\\.", -1).length > 2 ? packageName.split("\\.", -1)[2] : "";
    }

    private record Row(String from, List<String> to) {

        Row(String from, String... to) {
            this(from, List.copyOf(Arrays.asList(to)));
        }

        ArchRule rule() {
            String[] allowed = Stream.concat(Stream.of(from), to.stream()).toArray(String[]::new);
            return classes()
                    .that()
                    .resideInAPackage(from)
                    .should()
                    .onlyDependOnClassesThat(resideInAnyPackage(allowed).or(not(resideInAPackage(OURS))))
                    // A module's class path holds some of the packages, never all.
                    .allowEmptyShould(true);
        }
    }
}
