package io.distlock.spring.interceptor;

import io.distlock.spring.execution.Execution;
import io.distlock.spring.execution.Executions;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.core.CollectionFactory;
import org.springframework.core.Nullness;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Derives from a method's return type how it is run, or why it cannot be: with some types work continues after the
 * return, when the lock has been released. Thread-safe.
 */
record ReturnTypes(Executions executions, HierarchicalBeanFactory beans) {

    private static final boolean REACTOR_PRESENT =
            ClassUtils.isPresent("reactor.core.publisher.Flux", ReturnTypes.class.getClassLoader());

    private static final String ATTRIBUTE = "return type";

    private static final String ASYNC_REQUEST =
            "Return a CompletableFuture or a Mono, or lock the method that does the work";

    private static final String STREAMED_RESPONSE =
            "Lock the method that writes the response, or use LockTemplate there";

    private static final String LAZY = "Collect its elements inside the method, and return a list";

    /**
     * Types that represent work still to be done, by code unaware of the lock, and what to return instead. By name, since
     * most belong to libraries that may be absent.
     */
    private static final Map<String, String> DEFERRED = Map.of(
            "java.util.stream.BaseStream", LAZY,
            "kotlin.sequences.Sequence", LAZY,
            "kotlinx.coroutines.Job", "Let the function suspend until its work is done, or return a Deferred",
            "java.util.concurrent.Callable", ASYNC_REQUEST,
            "org.springframework.web.context.request.async.DeferredResult", ASYNC_REQUEST,
            "org.springframework.web.context.request.async.WebAsyncTask", ASYNC_REQUEST,
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody", STREAMED_RESPONSE,
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter", STREAMED_RESPONSE);

    /** A wrapper of the response body, whose type counts. */
    private static final String RESPONSE = "org.springframework.http.HttpEntity";

    private static final ClassValue<Optional<String>> DEFERRED_CURES = new ClassValue<>() {
        @Override
        protected Optional<String> computeValue(Class<?> type) {
            return DEFERRED.entrySet().stream()
                    .filter(each -> isA(type, each.getKey()))
                    .findFirst()
                    .map(Map.Entry::getValue);
        }
    };

    Handling check(LockedMethod method, ProblemCollector problems) {
        ResolvableType declared = ResolvableType.forMethodReturnType(method.method(), method.targetClass());
        Class<?> type = declared.resolve(method.method().getReturnType());
        Handling done = done(type);
        if (Future.class.isAssignableFrom(type) && isAsync(method)) {
            return async(declared.as(Future.class).getGeneric().resolve(Object.class));
        } else if (SuspendingFunctions.isOne(method.method())) {
            return suspending(method.method(), done, problems);
        } else if (type == CompletableFuture.class || type == CompletionStage.class) {
            Class<?> value = declared.as(CompletionStage.class).getGeneric().resolve(Object.class);
            return new Handling(
                    executions.future(),
                    () -> CompletableFuture.completedFuture(emptyValue(value)),
                    Optional.empty(),
                    Optional.of(CompletableFuture::failedFuture),
                    false);
        } else if (isFutureOrPublisher(type)) {
            return publisher(type, done, problems);
        }
        deferredCure(declared)
                .ifPresent(cure -> problems.add(
                        ATTRIBUTE,
                        "a " + declared + " does its work after the method has returned and the lock is released",
                        cure));
        return done;
    }

    /** Whether Spring calls it on another thread, outside the lock, and waits there for the future that it returns. */
    private boolean isAsync(LockedMethod method) {
        return beans.containsLocalBean(TaskManagementConfigUtils.ASYNC_ANNOTATION_PROCESSOR_BEAN_NAME)
                && (AnnotatedElementUtils.hasAnnotation(method.method(), Async.class)
                        || AnnotatedElementUtils.hasAnnotation(method.targetClass(), Async.class));
    }

    /** On that thread, which holds the lock until the future is done. */
    private Handling async(Class<?> value) {
        Execution untilDone = (tasks, body) -> executions.blocking().run(tasks, () -> awaited(body.run()));
        return new Handling(
                untilDone,
                () -> CompletableFuture.completedFuture(emptyValue(value)),
                Optional.empty(),
                Optional.empty(),
                false);
    }

    private static @Nullable Object awaited(@Nullable Object returned) throws Throwable {
        if (returned instanceof Future<?> future) {
            try {
                future.get();
            } catch (InterruptedException interrupt) {
                future.cancel(true);
                if (!future.isDone()) {
                    // It ignores the cancellation, so its work needs the lock.
                    awaited(future);
                }
                throw interrupt;
            } catch (ExecutionException failure) {
                Throwable own = failure.getCause();
                throw own == null ? failure : own;
            }
        }
        return returned;
    }

    private Handling done(Class<?> type) {
        boolean hasEmptyValue = !type.isPrimitive() || type == void.class;
        return new Handling(
                executions.blocking(),
                () -> emptyValue(type),
                noSkip(hasEmptyValue, type),
                Optional.empty(),
                type == Object.class);
    }

    private Handling suspending(Method method, Handling otherwise, ProblemCollector problems) {
        if (!SuspendingFunctions.CAN_BE_CALLED) {
            problems.add(
                    ATTRIBUTE,
                    "the libraries for calling a suspending function through a proxy are missing",
                    "Add kotlinx-coroutines-reactor and kotlin-reflect");
            return otherwise;
        }
        Class<?> type = SuspendingFunctions.returnType(method);
        boolean isFlow = type.getName().equals("kotlinx.coroutines.flow.Flow");
        if (!isFlow && isAsynchronous(type)) {
            problems.add(
                    ATTRIBUTE,
                    "it cannot be determined when the work of a suspending function that returns a " + type.getName()
                            + " ends",
                    "Return the value, or a Flow, or let the function not suspend");
            return otherwise;
        }
        ReactiveAdapter adapter = Objects.requireNonNull(
                ReactiveAdapterRegistry.getSharedInstance().getAdapter(isFlow ? Flux.class : Mono.class));
        boolean hasEmptyValue =
                isFlow || type == void.class || Nullness.forMethodReturnType(method) == Nullness.NULLABLE;
        return publisher(adapter, hasEmptyValue, type);
    }

    private Handling publisher(ReactiveAdapter adapter, boolean hasEmptyValue, Class<?> type) {
        return new Handling(
                executions.publisher(adapter),
                () -> adapter.getDescriptor().getEmptyValue(),
                noSkip(hasEmptyValue, type),
                Optional.of(failure -> Signals.error(adapter, failure)),
                false);
    }

    /** A class of its own, as Reactor may be absent. */
    private static final class Signals {

        static Object error(ReactiveAdapter adapter, Throwable failure) {
            return adapter.fromPublisher(Mono.error(failure));
        }
    }

    private static Optional<String> noSkip(boolean hasEmptyValue, Class<?> type) {
        return hasEmptyValue
                ? Optional.empty()
                : Optional.of("SKIP has no empty value for the return type " + type.getName());
    }

    private Handling publisher(Class<?> type, Handling otherwise, ProblemCollector problems) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        if (adapter == null || !REACTOR_PRESENT) {
            problems.add(
                    ATTRIBUTE,
                    "it cannot be determined when the work of a " + type.getName() + " ends",
                    "Return CompletableFuture, or Mono or Flux with reactor-core on the class path");
            return otherwise;
        } else if (!type.isAssignableFrom(adapter.getReactiveType())) {
            problems.add(
                    ATTRIBUTE,
                    "a " + type.getName() + " cannot be made to wait for the lock",
                    "Return " + adapter.getReactiveType().getName());
            return otherwise;
        }
        return publisher(adapter, adapter.supportsEmpty(), type);
    }

    /** Whether a value of the type may represent work still in progress. */
    static boolean isAsynchronous(Class<?> type) {
        return isFutureOrPublisher(type) || DEFERRED_CURES.get(type).isPresent();
    }

    /** Whether its transactions are reactive. */
    static boolean isReactive(Method method) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.getReturnType());
        return SuspendingFunctions.isOne(method)
                || (adapter != null && adapter.getDescriptor().isDeferred());
    }

    private static boolean isFutureOrPublisher(Class<?> type) {
        return Future.class.isAssignableFrom(type)
                || CompletionStage.class.isAssignableFrom(type)
                || Flow.Publisher.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
    }

    /** A new one for each call: the caller may add to it. */
    private static @Nullable Object emptyValue(Class<?> type) {
        if (type.isArray()) {
            return Array.newInstance(type.getComponentType(), 0);
        }
        Class<?> made = type == Iterable.class ? Collection.class : type;
        if (!made.getName().startsWith("java.util.")) {
            return null;
        }
        try {
            if (Collection.class.isAssignableFrom(made)) {
                return CollectionFactory.createCollection(made, 0);
            } else if (Map.class.isAssignableFrom(made)) {
                return CollectionFactory.createMap(made, 0);
            }
        } catch (IllegalArgumentException unknown) {
            return null;
        }
        return Stream.of(
                        Optional.empty(),
                        OptionalInt.empty(),
                        OptionalLong.empty(),
                        OptionalDouble.empty(),
                        Stream.empty())
                .filter(made::isInstance)
                .findFirst()
                .orElse(null);
    }

    /** What to return instead of a type that represents work still to be done; empty for any other type. */
    private static Optional<String> deferredCure(ResolvableType type) {
        Class<?> resolved = type.resolve(Object.class);
        return DEFERRED_CURES.get(isA(resolved, RESPONSE) ? type.getGeneric().resolve(Object.class) : resolved);
    }

    private static boolean isA(Class<?> type, String supertype) {
        ClassLoader loader = type.getClassLoader();
        return ClassUtils.isPresent(supertype, loader)
                && ClassUtils.resolveClassName(supertype, loader).isAssignableFrom(type);
    }

    /**
     * How a method is run.
     *
     * @param noSkip why no result fits when the method is skipped, if none does
     * @param signal makes the result of a call that has failed; present if work continues after the return
     * @param mayBeAnything whether the declared type leaves open whether the work is done on return
     */
    record Handling(
            Execution execution,
            Supplier<@Nullable Object> skipped,
            Optional<String> noSkip,
            Optional<Function<Throwable, Object>> signal,
            boolean mayBeAnything) {

        /** Throws the failure, or completes the result with it. */
        Object fail(RuntimeException failure) {
            return signal.orElseThrow(() -> failure).apply(failure);
        }

        /** Refuses a result that represents work still in progress. */
        @Nullable
        Object requireDone(@Nullable Object result, Method method) {
            if (mayBeAnything && result != null && isAsynchronous(result.getClass())) {
                throw new IllegalStateException(
                        method + " returned a " + result.getClass().getName()
                                + " whose work may continue after the lock is released. Declare that return type");
            }
            return result;
        }
    }
}
