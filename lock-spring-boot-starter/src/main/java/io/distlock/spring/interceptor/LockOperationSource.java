package io.distlock.spring.interceptor;

import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockClients;
import io.distlock.spring.client.MeterNameLimiter;
import io.distlock.spring.execution.Executions;
import io.distlock.spring.leader.LeaderElections;
import io.distlock.spring.leader.LeaderOnly;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds {@link DistributedLock} and {@link LeaderOnly}, and resolves what they say: on the most specific method, on what it overrides or
 * implements, then on the bean's type and its supertypes. Each method is resolved when it is first needed; no other
 * bean is requested before that, so that this one can be infrastructure. Thread-safe.
 */
final class LockOperationSource {

    /** By the called method, which may be an interface's, and the bean's class; empty if it is not to be locked. */
    private final Map<MethodClassKey, Optional<Entry>> entries = new ConcurrentHashMap<>();

    private final Map<Class<?>, Collection<LockedMethod>> lockedMethods = new ConcurrentHashMap<>();
    private final ConfigurableListableBeanFactory beans;
    private final LockExpressions expressions;
    private final ReturnTypes returnTypes;
    private final Executions executions;

    LockOperationSource(ConfigurableListableBeanFactory beans, Executions executions) {
        this.beans = beans;
        this.executions = executions;
        this.expressions = new LockExpressions(beans);
        this.returnTypes = new ReturnTypes(executions, beans);
    }

    /** Whether to lock a method called on a bean of a class. */
    boolean isLocked(Method method, Class<?> targetClass) {
        return entry(method, targetClass).isPresent();
    }

    /** How a method called on a bean of a class is locked; null if it is not. Throws all the reasons why it cannot be. */
    @Nullable
    LockOperation find(Method method, @Nullable Class<?> targetClass) {
        Optional<Entry> entry = entry(method, targetClass == null ? method.getDeclaringClass() : targetClass);
        return entry.isEmpty() ? null : operation(entry.get());
    }

    /** Like {@link #find}, for a method known to be locked. */
    LockOperation resolve(LockedMethod method) {
        return operation(entry(method.method(), method.targetClass()).orElseGet(() -> new Entry(method)));
    }

    private Optional<Entry> entry(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        Optional<Entry> known = entries.get(key);
        if (known == null) {
            Optional<Entry> found =
                    locate(method, ClassUtils.getUserClass(targetClass)).map(Entry::new);
            known = Objects.requireNonNullElse(entries.putIfAbsent(key, found), found);
        }
        return known;
    }

    private LockOperation operation(Entry entry) {
        LockOperation known = entry.operation().get();
        if (known == null) {
            // Not under a monitor: resolving requests beans. At worst done twice, same result.
            known = parse(entry.method());
            entry.operation().set(known);
            MeterNameLimiter names = beans.getBean(MeterNameLimiter.class);
            known.locks().forEach(lock -> names.declare(lock.name()));
        }
        return known;
    }

    private LockOperation parse(LockedMethod method) {
        ProblemCollector problems = new ProblemCollector(method.annotation(), method.describe());
        ReturnTypes.Handling returns = returnTypes.check(method, problems);
        LockClients clients = beans.getBean(LockClients.class);
        List<LockOperation.Lock> locks = method.annotations().stream()
                .map(each -> new LockAttributes(
                        method,
                        each,
                        beans::resolveEmbeddedValue,
                        expressions,
                        expressions.variables(method, each.getSource()),
                        problems))
                .map(attributes -> attributes.lock(clients, returns, executions))
                .toList();
        List<LockOperation.Lock> terms = method.leaderOnly().stream()
                .map(each ->
                        new LeaderAttributes(method, each, beans::resolveEmbeddedValue, problems.of(LeaderOnly.class)))
                .flatMap(attributes -> attributes.lock(elections(), returns, executions).stream())
                .toList();
        problems.throwIfAny();
        return new LockOperation(
                method.method(),
                returns,
                Stream.concat(terms.stream(), locks.stream()).toList());
    }

    private Optional<LeaderElections> elections() {
        return Optional.ofNullable(beans.getBeanProvider(LeaderElections.class).getIfAvailable());
    }

    /** A locked method and, once resolved, how it is locked. */
    private record Entry(LockedMethod method, AtomicReference<@Nullable LockOperation> operation) {

        Entry(LockedMethod method) {
            this(method, new AtomicReference<>());
        }
    }

    /** All methods of a class that are to be locked, including those that cannot be. Found once for a class: most have none. */
    Collection<LockedMethod> lockedMethods(Class<?> targetClass) {
        return lockedMethods.computeIfAbsent(targetClass, LockOperationSource::locate);
    }

    /** Like {@link #lockedMethods}, before there is an application. */
    static Collection<LockedMethod> locate(Class<?> targetClass) {
        Class<?> type = ClassUtils.getUserClass(targetClass);
        return isCandidate(type)
                ? List.copyOf(MethodIntrospector.selectMethods(
                                type, (Method method) -> locate(method, type).orElse(null))
                        .values())
                : List.of();
    }

    /** Whether the annotation is anywhere on the class or its supertypes: each bean's is asked, and few have it. */
    private static boolean isCandidate(@Nullable Class<?> type) {
        return type != null
                && (hasAnnotation(type)
                        || isCandidate(type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(LockOperationSource::isCandidate));
    }

    private static boolean hasAnnotation(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, List.of(DistributedLock.class, LeaderOnly.class))
                && (isOn(type)
                        || Arrays.stream(ReflectionUtils.getDeclaredMethods(type))
                                .anyMatch(LockOperationSource::isOn));
    }

    /** Most methods have no annotation at all, which is cheap to find out. */
    private static boolean isOn(AnnotatedElement element) {
        if (element.getDeclaredAnnotations().length == 0) {
            return false;
        }
        MergedAnnotations annotations = MergedAnnotations.from(element);
        return annotations.isPresent(DistributedLock.class) || annotations.isPresent(LeaderOnly.class);
    }

    private static Optional<LockedMethod> locate(Method method, Class<?> type) {
        if (ReflectionUtils.isObjectMethod(method)) {
            return Optional.empty();
        }
        Method specific = mostSpecific(method, type);
        return onMethod(specific)
                .or(() -> specific.equals(method) ? Optional.empty() : onMethod(method))
                .or(() -> onInterfaces(specific, type))
                .map(found -> found.orLocks(() -> onType(specific, type)))
                .map(found -> new LockedMethod(specific, type, found.locks, found.leaderOnly, false))
                .or(() -> onType(specific, type)
                        .map(found -> new LockedMethod(specific, type, found.locks, Optional.empty(), true)));
    }

    /** What is on a method or a type. */
    private record Found(
            List<MergedAnnotation<DistributedLock>> locks, Optional<MergedAnnotation<LeaderOnly>> leaderOnly) {

        /** With the locks of the type, if the method has none of its own. */
        Found orLocks(Supplier<Optional<Found>> onType) {
            return locks.isEmpty() ? new Found(onType.get().map(Found::locks).orElse(locks), leaderOnly) : this;
        }
    }

    /** For a proxy or lambda, the interface's method: the generated class name differs in each process. */
    private static Method mostSpecific(Method method, Class<?> type) {
        if (Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type)) {
            return ClassUtils.getInterfaceMethodIfPossible(method, type);
        }
        return BridgeMethodResolver.getMostSpecificMethod(method, type);
    }

    private static Optional<Found> onMethod(Method method) {
        return present(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY));
    }

    /** Also of an interface unknown to the superclass that declares the method. */
    private static Optional<Found> onInterfaces(Method specific, Class<?> type) {
        return ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                .flatMap(each -> Arrays.stream(each.getMethods()))
                .filter(each -> each.getName().equals(specific.getName()))
                .filter(each -> mostSpecific(each, type).equals(specific))
                .flatMap(each -> onMethod(each).stream())
                .findFirst();
    }

    private static Optional<Found> onType(Method method, Class<?> type) {
        if (Modifier.isStatic(method.getModifiers()) || Modifier.isPrivate(method.getModifiers())) {
            return Optional.empty();
        }
        return present(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY));
    }

    private static Optional<Found> present(MergedAnnotations annotations) {
        MergedAnnotation<DistributedLock> nearest = annotations.get(DistributedLock.class);
        // All annotations where the nearest one is; they override those further up.
        List<MergedAnnotation<DistributedLock>> locks = !nearest.isPresent()
                ? List.of()
                : annotations.stream(DistributedLock.class)
                        .filter(each -> each.getAggregateIndex() == nearest.getAggregateIndex())
                        .toList();
        Optional<MergedAnnotation<LeaderOnly>> leaderOnly =
                Optional.of(annotations.get(LeaderOnly.class)).filter(MergedAnnotation::isPresent);
        return Optional.of(new Found(locks, leaderOnly)).filter(found -> !locks.isEmpty() || leaderOnly.isPresent());
    }
}
