package io.distlock.spring.interceptor;

import io.distlock.spring.execution.Executions;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Tells from a method's return type how it is to be run, or why it cannot be. Thread-safe. */
final class ResultTypes {

    private static final boolean REACTOR_PRESENT =
            ClassUtils.isPresent("reactor.core.publisher.Flux", ResultTypes.class.getClassLoader());

    private static final String ATTRIBUTE = "return type";

    private final Executions executions;

    ResultTypes(Executions executions) {
        this.executions = executions;
    }

    MethodResults check(LockedMethod method, Problems problems) {
        ResolvableType declared = ResolvableType.forMethodReturnType(method.method(), method.targetClass());
        Class<?> type = declared.resolve(method.method().getReturnType());
        MethodResults done = done(type);
        if (SuspendingFunctions.isOne(method.method())) {
            return SuspendingFunctions.results(method.method(), executions, problems)
                    .orElse(done);
        } else if (type == CompletableFuture.class || type == CompletionStage.class) {
            Class<?> value = declared.as(CompletionStage.class).getGeneric().resolve(Object.class);
            return new MethodResults(
                    executions.future(),
                    () -> CompletableFuture.completedFuture(emptyValue(value)),
                    Optional.empty(),
                    true,
                    false);
        } else if (isFutureOrPublisher(type)) {
            return publisher(type, problems).orElse(done);
        }
        DeferredTypes.cure(declared)
                .ifPresent(cure -> problems.add(
                        ATTRIBUTE,
                        "the work behind a " + declared + " is done after the return, when the lock has been given"
                                + " back",
                        cure));
        return done;
    }

    private MethodResults done(Class<?> type) {
        boolean hasEmptyValue = !type.isPrimitive() || type == void.class;
        return new MethodResults(
                executions.blocking(),
                () -> emptyValue(type),
                noSkip(hasEmptyValue, type),
                false,
                type == Object.class);
    }

    private static Optional<String> noSkip(boolean hasEmptyValue, Class<?> type) {
        return hasEmptyValue
                ? Optional.empty()
                : Optional.of("SKIP has no empty value for the return type " + type.getName());
    }

    private Optional<MethodResults> publisher(Class<?> type, Problems problems) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        if (adapter == null || !REACTOR_PRESENT) {
            problems.add(
                    ATTRIBUTE,
                    "when the work of a " + type.getName() + " is done cannot be told",
                    "Return CompletableFuture, or Mono or Flux with reactor-core on the class path");
            return Optional.empty();
        }
        if (!type.isAssignableFrom(adapter.getReactiveType())) {
            problems.add(
                    ATTRIBUTE,
                    "no " + type.getName() + " can be made that waits for the lock",
                    "Return " + adapter.getReactiveType().getName());
            return Optional.empty();
        }
        Supplier<@Nullable Object> empty = () -> adapter.getDescriptor().getEmptyValue();
        return Optional.of(new MethodResults(
                executions.publisher(adapter), empty, noSkip(adapter.supportsEmpty(), type), true, false));
    }

    /** Whether a value of the type may stand for work that is still going on. */
    static boolean isAsynchronous(Class<?> type) {
        return isFutureOrPublisher(type) || DeferredTypes.cure(type).isPresent();
    }

    private static boolean isFutureOrPublisher(Class<?> type) {
        return Future.class.isAssignableFrom(type)
                || CompletionStage.class.isAssignableFrom(type)
                || Flow.Publisher.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
    }

    private static @Nullable Object emptyValue(Class<?> type) {
        if (type == Optional.class) {
            return Optional.empty();
        } else if (type == OptionalInt.class) {
            return OptionalInt.empty();
        } else if (type == OptionalLong.class) {
            return OptionalLong.empty();
        } else if (type == OptionalDouble.class) {
            return OptionalDouble.empty();
        }
        return null;
    }
}
