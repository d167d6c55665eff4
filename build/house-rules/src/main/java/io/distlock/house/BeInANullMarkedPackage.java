package io.distlock.house;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.jspecify.annotations.NullMarked;

/** NullAway looks only into marked packages, so an unmarked one would go unchecked. */
final class BeInANullMarkedPackage extends ArchCondition<JavaClass> {

    BeInANullMarkedPackage() {
        super("be in a package whose package-info.java says @NullMarked");
    }

    @Override
    public void check(JavaClass javaClass, ConditionEvents events) {
        boolean marked = javaClass.getPackage().isAnnotatedWith(NullMarked.class);
        String message =
                "package of %s is %s".formatted(javaClass.getName(), marked ? "@NullMarked" : "not @NullMarked");
        events.add(new SimpleConditionEvent(javaClass, marked, message));
    }
}
