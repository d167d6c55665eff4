package io.distlock.spring.event;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.GenericApplicationListenerAdapter;
import org.springframework.core.ResolvableType;

/** Finds out of which announcements anybody wants to hear. */
final class Audience {

    /** A listener that takes this one takes anything, and does not mean us. */
    private record Anything() {}

    private static final ResolvableType ANYTHING = event(Anything.class);

    private Audience() {}

    static Set<Class<?>> wanted(Collection<ApplicationListener<?>> listeners) {
        Set<Class<?>> wanted = new HashSet<>();
        for (Class<?> each : Announcements.KINDS) {
            ResolvableType event = event(each);
            if (listeners.stream().map(Audience::generic).anyMatch(listener -> means(listener, event))) {
                wanted.add(each);
            }
        }
        return wanted;
    }

    private static boolean means(GenericApplicationListener listener, ResolvableType event) {
        return listener.supportsEventType(event) && !listener.supportsEventType(ANYTHING);
    }

    private static GenericApplicationListener generic(ApplicationListener<?> listener) {
        return listener instanceof GenericApplicationListener generic
                ? generic
                : new GenericApplicationListenerAdapter(listener);
    }

    private static ResolvableType event(Class<?> payload) {
        return ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, payload);
    }
}
