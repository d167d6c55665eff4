package io.distlock.benchmarks;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import io.distlock.house.HouseRules;
import io.distlock.house.OwnClasses;

@AnalyzeClasses(locations = OwnClasses.class, importOptions = ArchitectureTests.DoNotIncludeGenerated.class)
class ArchitectureTests {

    @ArchTest
    static final ArchTests houseRules = ArchTests.in(HouseRules.class);

    /** What JMH writes reads the clock itself. */
    static final class DoNotIncludeGenerated implements ImportOption {

        @Override
        public boolean includes(Location location) {
            return !location.contains("/jmh_generated/");
        }
    }
}
