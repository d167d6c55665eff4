package io.distlock.spring.interceptor;

import io.distlock.LockException;
import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.util.ReflectionUtils;

/** Finds the methods that an annotation names as its fallback, or says why there are none. */
final class FallbackFinder {

    private static final String ATTRIBUTE = "fallbackMethod";

    /** In place of the type of a last parameter that is not there. */
    private static final Class<?> NO_REASON = void.class;

    private static final List<Class<?>> REASONS =
            List.of(LockNotAcquiredException.class, LockUnavailableException.class, LockException.class);

    private final LockedMethod locked;
    private final String name;
    private final Problems problems;
    private final Map<Class<?>, Method> byReason = new LinkedHashMap<>();

    private FallbackFinder(LockedMethod locked, String name, Problems problems) {
        this.locked = locked;
        this.name = name;
        this.problems = problems;
    }

    /** The fallbacks; absent if something is wrong with them, which has been noted then. */
    static Optional<Fallbacks> find(LockedMethod locked, String name, Problems problems) {
        return new FallbackFinder(locked, name, problems).find();
    }

    private Optional<Fallbacks> find() {
        List<Method> named = named();
        named.forEach(this::sortIn);
        if (byReason.isEmpty()) {
            problems.add(ATTRIBUTE, "no method '" + name + "' has the parameters of this one" + found(named), cure());
            return Optional.empty();
        }
        Optional<FallbackMethod> notAcquired = first(LockNotAcquiredException.class, LockException.class, NO_REASON);
        if (notAcquired.isEmpty()) {
            problems.add(ATTRIBUTE, "no method '" + name + "' takes a LockNotAcquiredException" + found(named), cure());
            return Optional.empty();
        }
        int before = problems.found().size();
        byReason.values().forEach(method -> FallbackTypes.check(locked, method, ATTRIBUTE, problems));
        return problems.found().size() > before
                ? Optional.empty()
                : Optional.of(
                        new Fallbacks(notAcquired.get(), first(LockUnavailableException.class, LockException.class)));
    }

    private List<Method> named() {
        return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(locked.lookupType()))
                .filter(method -> method.getName().equals(name) && !method.isBridge())
                .filter(method -> !method.equals(locked.method()))
                .toList();
    }

    /** Under the type of its last parameter, if all before fit the locked method's. Of two that fit, the exact one. */
    private void sortIn(Method candidate) {
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
        if (fits && (!byReason.containsKey(reason) || isExact(given, taken))) {
            byReason.put(reason, candidate);
        }
    }

    private static boolean isExact(Class<?>[] given, Class<?>[] taken) {
        return Arrays.equals(given, Arrays.copyOf(taken, given.length));
    }

    private Optional<FallbackMethod> first(Class<?>... reasons) {
        return Stream.of(reasons)
                .flatMap(reason ->
                        Optional.ofNullable(byReason.get(reason))
                                .map(method -> fallback(method, reason != NO_REASON))
                                .stream())
                .findFirst();
    }

    private static FallbackMethod fallback(Method method, boolean takesReason) {
        ReflectionUtils.makeAccessible(method);
        return new FallbackMethod(method, takesReason);
    }

    private static String found(List<Method> named) {
        return named.isEmpty()
                ? ""
                : ", found " + named.stream().map(Method::toString).collect(Collectors.joining(", "));
    }

    private String cure() {
        String parameters = Arrays.stream(SuspendingFunctions.parameterTypes(locked.method()))
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", "));
        String reason = parameters.isEmpty() ? "LockNotAcquiredException" : ", LockNotAcquiredException";
        return "Declare in the same class " + name + "(" + parameters + ") or " + name + "(" + parameters + reason
                + "); with LockUnavailableException or LockException as the last type it is called when the store does"
                + " not answer, too";
    }
}
