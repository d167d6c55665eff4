package io.distlock.spring.interceptor;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.util.ReflectionUtils;

/** Keeps the locked methods of beans and their fallbacks in a native image. */
final class LockedBeansRuntimeHints implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Collection<LockedMethod> locked = LockOperationSource.locate(bean.getBeanClass());
        return locked.isEmpty()
                ? null
                : (generation, code) -> locked.forEach(method ->
                        contribute(method, generation.getRuntimeHints().reflection()));
    }

    private static void contribute(LockedMethod locked, ReflectionHints hints) {
        hints.registerMethod(locked.method(), ExecutableMode.INVOKE);
        List<String> fallbacks = locked.annotations().stream()
                .map(annotation -> annotation.getString("fallbackMethod").strip())
                .toList();
        Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(locked.lookupType()))
                .filter(method -> fallbacks.contains(method.getName()))
                .forEach(method -> hints.registerMethod(method, ExecutableMode.INVOKE));
    }
}
