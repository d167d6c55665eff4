package io.distlock.shedlock;

import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import io.distlock.house.HouseRules;
import io.distlock.house.OwnClasses;

@AnalyzeClasses(locations = OwnClasses.class)
class ArchitectureTests {

    @ArchTest
    static final ArchTests houseRules = ArchTests.in(HouseRules.class);
}
