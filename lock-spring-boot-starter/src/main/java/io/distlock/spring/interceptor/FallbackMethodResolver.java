package io.distlock.spring.interceptor;

import io.distlock.LockException;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.spring.execution.NotAcquiredHandler;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/** Finds the methods that an annotation names as its fallback, or explains why none fits. */
record FallbackMethodResolver(
        LockedMethod locked, String name, ProblemCollector problems, Map<Class<?>, Method> byReason) {

    private static final String ATTRIBUTE = "fallbackMethod";

    /** For a fallback that does not take the reason. */
    private static final Class<?> NO_REASON = void.class;

    private static final List<Class<?>> REASONS =
            List.of(LockNotAcquiredException.class, LockUnavailableException.class, LockException.class);

    /** What a call gets if it is not locked. */
    static Function<LockOperation.Call, NotAcquiredHandler> resolve(
            LockedMethod locked, String name, ProblemCollector problems) {
        return new FallbackMethodResolver(locked, name, problems, new LinkedHashMap<>()).resolve();
    }

    private Function<LockOperation.Call, NotAcquiredHandler> resolve() {
        List<Method> named = named();
        named.forEach(this::classify);
        Optional<Method> notAcquired = first(LockNotAcquiredException.class, LockException.class, NO_REASON);
        if (notAcquired.isEmpty()) {
            String missing = byReason.isEmpty() ? "has the parameters of this one" : "takes a LockNotAcquiredException";
            String found = named.isEmpty() ? "" : ", found " + StringUtils.collectionToDelimitedString(named, ", ");
            problems.add(ATTRIBUTE, "no method '" + name + "' " + missing + found, cure());
            return call -> NotAcquiredHandler.THROW;
        }
        byReason.values().forEach(this::checkTypes);
        // For a store that does not answer: only methods that declare it.
        Optional<Method> unavailable = first(LockUnavailableException.class, LockException.class);
        return call -> why -> call(why instanceof LockUnavailableException ? unavailable : notAcquired, call, why);
    }

    private List<Method> named() {
        return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(locked.lookupType()))
                .filter(method -> method.getName().equals(name) && !method.isBridge())
                .filter(method -> !method.equals(locked.method()))
                .toList();
    }

    /** By the type of its last parameter, if all others match the locked method's; an exact match is preferred. */
    private void classify(Method candidate) {
        if (SuspendingFunctions.isOne(candidate) != SuspendingFunctions.isOne(locked.method())) {
            return;
        }
        Class<?>[] given = SuspendingFunctions.parameterTypes(locked.method());
        Class<?>[] taken = SuspendingFunctions.parameterTypes(candidate);
        Class<?> reason = taken.length == given.length + 1 ? taken[given.length] : NO_REASON;
        boolean fits = taken.length == given.length || REASONS.contains(reason);
        for (int index = 0; fits && index < given.length; index++) {
            fits = taken[index].isAssignableFrom(given[index]);
        }
        boolean isExact = fits && Arrays.equals(given, Arrays.copyOf(taken, given.length));
        if (fits && (isExact || !byReason.containsKey(reason))) {
            byReason.put(reason, candidate);
        }
    }

    private Optional<Method> first(Class<?>... reasons) {
        return Stream.of(reasons).map(byReason::get).filter(Objects::nonNull).findFirst();
    }

    private String cure() {
        String parameters = Arrays.stream(SuspendingFunctions.parameterTypes(locked.method()))
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", "));
        String reason = parameters.isEmpty() ? "LockNotAcquiredException" : ", LockNotAcquiredException";
        return "Declare in the same class " + name + "(" + parameters + ") or " + name + "(" + parameters + reason
                + "); with LockUnavailableException or LockException as the last type it is also called when the store"
                + " does not answer";
    }

    /** Checks that its result and exceptions can replace the locked method's. */
    private void checkTypes(Method fallback) {
        if (!returnsAsMuch(fallback)) {
            problems.add(
                    ATTRIBUTE,
                    "the return type of " + fallback + " does not fit this method",
                    "Let it return " + ResolvableType.forMethodReturnType(locked.method(), locked.targetClass()));
        }
        Arrays.stream(fallback.getExceptionTypes())
                .filter(thrown -> !ReflectionUtils.declaresException(locked.method(), thrown))
                .filter(FallbackMethodResolver::isChecked)
                .forEach(thrown -> problems.add(
                        ATTRIBUTE,
                        fallback + " throws " + thrown.getName() + ", which this method does not declare",
                        "Declare it on both, or on none"));
    }

    private boolean returnsAsMuch(Method fallback) {
        if (SuspendingFunctions.isOne(fallback)) {
            return SuspendingFunctions.returnType(locked.method())
                    .isAssignableFrom(SuspendingFunctions.returnType(fallback));
        }
        Class<?> wanted = locked.method().getReturnType();
        if (wanted == void.class || wanted.isPrimitive()) {
            return fallback.getReturnType() == wanted;
        }
        ResolvableType type = ResolvableType.forMethodReturnType(locked.method(), locked.targetClass());
        ResolvableType given = ResolvableType.forMethodReturnType(fallback, locked.targetClass());
        boolean isOpen = type.hasUnresolvableGenerics() || given.hasUnresolvableGenerics();
        return isOpen ? wanted.isAssignableFrom(fallback.getReturnType()) : type.isAssignableFrom(given);
    }

    private static boolean isChecked(Class<?> thrown) {
        return !RuntimeException.class.isAssignableFrom(thrown) && !Error.class.isAssignableFrom(thrown);
    }

    /** On the bean itself and not through its proxy, with the arguments of the call; without a method, throws the reason. */
    @SuppressWarnings("NullAway") // arguments may be null; Spring's class file says so only to newer compilers
    private static @Nullable Object call(Optional<Method> found, LockOperation.Call call, LockException why)
            throws Throwable {
        Method method = found.orElseThrow(() -> why);
        @Nullable Object[] args = call.args();
        if (method.getParameterCount() > args.length) {
            // Before the continuation of a suspending function.
            args = ObjectUtils.addObjectToArray(args, why, SuspendingFunctions.parameterTypes(method).length - 1);
        }
        return AopUtils.invokeJoinpointUsingReflection(call.target(), method, args);
    }
}
