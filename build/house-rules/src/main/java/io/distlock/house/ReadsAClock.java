package io.distlock.house;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import java.util.Set;

/** A call, or a method reference, that asks the machine for the time: of {@code System}, or of a {@code java.time} class's static method. */
final class ReadsAClock extends DescribedPredicate<JavaAccess<?>> {

    private static final Set<String> OF_SYSTEM = Set.of("nanoTime", "currentTimeMillis");

    ReadsAClock() {
        super("the machine's time is read");
    }

    @Override
    public boolean test(JavaAccess<?> access) {
        String owner = access.getTargetOwner().getName();
        String method = access.getName();
        return switch (owner) {
            case "java.lang.System" -> OF_SYSTEM.contains(method);
            case "java.time.Clock" -> method.startsWith("system") || method.startsWith("tick");
            default -> owner.startsWith("java.time.") && method.equals("now");
        };
    }
}
