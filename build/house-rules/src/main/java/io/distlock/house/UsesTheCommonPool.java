package io.distlock.house;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/** A call, or a method reference, that puts work into the JVM's common pool, if only by naming no executor. */
final class UsesTheCommonPool extends DescribedPredicate<JavaAccess<?>> {

    UsesTheCommonPool() {
        super("the common pool is used");
    }

    @Override
    public boolean test(JavaAccess<?> access) {
        if (access.getTargetOwner().isEquivalentTo(ForkJoinPool.class)) {
            return access.getName().equals("commonPool");
        }
        return access.getTargetOwner().isAssignableTo(CompletionStage.class)
                && isAsync(access)
                && !namesAnExecutor(access);
    }

    private static boolean isAsync(JavaAccess<?> access) {
        return access.getName().endsWith("Async") || access.getName().equals("delayedExecutor");
    }

    private static boolean namesAnExecutor(JavaAccess<?> access) {
        return access.getTarget() instanceof CodeUnitAccessTarget target
                && target.getRawParameterTypes().stream().anyMatch(type -> type.isAssignableTo(Executor.class));
    }
}
