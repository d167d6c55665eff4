package io.distlock.spring.context;

import java.util.Optional;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** The locks that a subscription holds, in its Reactor context: no thread knows them. */
public final class SubscriberContext {

    private static final Object KEY = CallChain.class;

    private SubscriberContext() {}

    /** Empty if the subscription is not one inside a locked body. */
    public static Optional<CallChain> chain(ContextView context) {
        return context.getOrEmpty(KEY);
    }

    /** As seen by whatever is subscribed to within a body. */
    public static Context with(Context context, CallChain chain) {
        return context.put(KEY, chain);
    }
}
