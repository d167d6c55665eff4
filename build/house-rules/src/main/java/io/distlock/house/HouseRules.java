package io.distlock.house;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The rules. A module applies all of them with {@code ArchTests.in(HouseRules.class)}. */
public final class HouseRules {

    private static final String[] TEST_KIT = {"io.distlock.test..", "io.distlock.tck"};
    private static final String AUTO_CONFIGURATION = "AutoConfiguration";
    private static final String NOT_PUBLISHED = "<maven.deploy.skip>true<";

    @ArchTest
    public static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().assignedFrom(new EachPackage()).should().beFreeOfCycles();

    @ArchTest
    public static final ArchRule IMPORTS_FOLLOW_THE_TABLE = ImportTable.rule();

    @ArchTest
    public static final ArchRule PACKAGES_ARE_NULL_MARKED = classes().should(new BeInANullMarkedPackage());

    @ArchTest
    public static final ArchRule NOBODY_IMPORTS_AN_AUTO_CONFIGURATION = noClasses()
            .that()
            .resideOutsideOfPackage("io.distlock..autoconfigure..")
            .and()
            .haveSimpleNameNotEndingWith(AUTO_CONFIGURATION)
            .should()
            .dependOnClassesThat(resideInAPackage("io.distlock..autoconfigure..")
                    .or(resideInAPackage("io.distlock..").and(simpleNameEndingWith(AUTO_CONFIGURATION))))
            .because("wiring stands above what it wires, also where both are in one package")
            .allowEmptyShould(true);

    /** All that it may know, so that the driver of no store is to be listed here. */
    @ArchTest
    public static final ArchRule THE_STARTER_KNOWS_NO_STORE = classes()
            .that()
            .resideInAPackage("io.distlock.spring..")
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                            "java..",
                            "io.distlock..",
                            "io.micrometer..",
                            "org.aopalliance..",
                            "org.jspecify..",
                            "org.reactivestreams..",
                            "org.slf4j..",
                            "org.springframework..",
                            "reactor..")
                    .and(not(resideInAnyPackage("org.springframework.data..", "org.springframework.boot.data.."))))
            .because("a provider's wiring lives in the provider's module")
            .allowEmptyShould(true);

    @ArchTest
    public static final ArchRule PROVIDERS_WORK_WITHOUT_BOOT = noClasses()
            .that()
            .resideInAPackage("io.distlock..")
            .and()
            .resideOutsideOfPackages(
                    "..autoconfigure..", "io.distlock.spring..", "io.distlock.http", "io.distlock.benchmarks..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework.boot..")
            .because("Boot is optional for a provider")
            .allowEmptyShould(true);

    @ArchTest
    public static final ArchRule THE_TEST_KIT_WORKS_WITHOUT_SPRING = noClasses()
            .that()
            .resideInAnyPackage(TEST_KIT)
            .and()
            .resideOutsideOfPackage("io.distlock.test.spring..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..")
            .because("Spring is optional for the test kit")
            .allowEmptyShould(true);

    @ArchTest
    public static final ArchRule TIME_COMES_FROM_A_TICKER = noClasses()
            .that()
            .haveNameNotMatching("io\\.distlock\\.spi\\.Ticker(\\$\\d+)?")
            .and()
            .resideOutsideOfPackages(TEST_KIT)
            .should()
            .accessTargetWhere(new ReadsAClock())
            .because("time is a Ticker that is handed in, so that tests can drive it")
            .allowEmptyShould(true);

    @ArchTest
    public static final ArchRule NOTHING_RUNS_IN_THE_COMMON_POOL = noClasses()
            .that()
            .resideOutsideOfPackages(TEST_KIT)
            .should()
            .accessTargetWhere(new UsesTheCommonPool())
            .because("a stranger's task there must not hold up a renewal")
            .allowEmptyShould(true);

    @ArchTest
    public static final ArchRule PROVIDERS_KEEP_THE_CONTRACT = classes()
            .that()
            .areAssignableTo("io.distlock.spi.LockProvider")
            .and()
            .doNotHaveModifier(JavaModifier.ABSTRACT)
            .and()
            .resideOutsideOfPackages(TEST_KIT)
            .should(new KeepTheContract(Path.of("")))
            .because("every provider passes the same contract, unchanged")
            .allowEmptyShould(true);

    @ArchTest
    public static void theSupportedApiIsWrittenDown(JavaClasses classes) throws IOException {
        if (!isPublished()) {
            return;
        }
        Path file = Path.of(PublicApi.FILE).toAbsolutePath();
        Path actual = Path.of("target", PublicApi.FILE).toAbsolutePath();
        PublicApi api = PublicApi.of(classes, OwnClasses.DIRECTORY);
        api.writeTo(actual);
        List<String> differences = api.differences(file);
        if (!differences.isEmpty()) {
            throw new AssertionError("The supported API is not as in %s. If the change is meant, copy %s there:%n%s"
                    .formatted(file, actual, String.join("\n", differences)));
        }
    }

    @ArchTest
    public static void filesAndPackagesStaySmall(JavaClasses classes) throws IOException {
        List<String> excesses = isPublished() ? SourceSizes.excesses(Path.of("src", "main", "java")) : List.of();
        if (!excesses.isEmpty()) {
            throw new AssertionError("A file has at most %d lines and a package %d files:%n%s"
                    .formatted(SourceSizes.LINES, SourceSizes.FILES, String.join("\n", excesses)));
        }
    }

    @ArchTest
    public static void packagesHaveNoKnots(JavaClasses classes) throws IOException {
        List<String> knots = isPublished() ? Knots.of(PublicApi.madeIn(classes, OwnClasses.DIRECTORY)) : List.of();
        if (!knots.isEmpty()) {
            throw new AssertionError("At most %d files of a package depend on one another in a circle:%n%s"
                    .formatted(Knots.FILES, String.join("\n", knots)));
        }
    }

    private static boolean isPublished() throws IOException {
        return !Files.readString(Path.of("pom.xml")).contains(NOT_PUBLISHED);
    }

    private HouseRules() {}
}
