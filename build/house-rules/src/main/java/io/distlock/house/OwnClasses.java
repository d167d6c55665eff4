package io.distlock.house;

import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.LocationProvider;
import java.nio.file.Path;
import java.util.Set;

/**
 * The classes of the module whose tests run. Those of the modules that it depends on have been held to the rules there; what
 * a rule asks about them is read when it is needed.
 */
public final class OwnClasses implements LocationProvider {

    static final Path DIRECTORY = Path.of("target", "classes");

    @Override
    public Set<Location> get(Class<?> testClass) {
        return Set.of(Location.of(DIRECTORY));
    }
}
