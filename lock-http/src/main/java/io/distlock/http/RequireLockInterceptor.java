package io.distlock.http;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.http.RequiredLocks.Requirement;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Checks the lock of the current request before a method that has {@link RequireLock}. Thread-safe. */
final class RequireLockInterceptor implements MethodInterceptor {

    private final RequiredLocks requirements;
    private final Supplier<Receiver> receiver;

    /**
     * @param receiver called with the first request
     */
    RequireLockInterceptor(RequiredLocks requirements, Supplier<Receiver> receiver) {
        this.requirements = requirements;
        this.receiver = receiver;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Object target = Objects.requireNonNull(call.getThis());
        Requirement requirement = requirements.of(AopUtils.getMostSpecificMethod(call.getMethod(), target.getClass()));
        Check check = new Check(receiver.get(), requirement, call);
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current) {
            Enumeration<String> values = current.getRequest().getHeaders(SequencerHeader.NAME);
            check.verifier().verify(check.grant(Collections.list(values)));
            return call.proceed();
        } else if (requirement.publisher() != null) {
            return RequireLockPublisher.of(check, requirement.publisher());
        }
        throw check.noRequest();
    }

    /** A call, and what it requires. */
    record Check(Receiver receiver, Requirement requirement, MethodInvocation call) {

        GrantVerifier verifier() {
            return receiver.verifier();
        }

        /**
         * The grant for this call among those of its request.
         *
         * @throws LockRequirementException if there is none
         */
        Sequencer grant(List<String> values) {
            if (values.isEmpty()) {
                throw LockRequirementException.missing();
            }
            Map<LockKey, Sequencer> grants = receiver.header().parse(values);
            Sequencer grant = grants.get(requirement.key(Objects.requireNonNull(call.getThis()), call.getArguments()));
            if (grant == null) {
                throw LockRequirementException.ofAnotherKey();
            }
            if (grant.mode() == LockMode.SHARED && requirement.annotation().mode() == LockMode.EXCLUSIVE) {
                throw LockRequirementException.shared();
            }
            return grant;
        }

        IllegalStateException noRequest() {
            return new IllegalStateException(requirement.method() + " has @RequireLock, but was not called for an HTTP"
                    + " request: call it on the thread of a servlet request or, in WebFlux, make its publisher a part of"
                    + " the request's own; use @DistributedLock for calls without a request");
        }
    }

    /** Reads the grants of a request, and decides whether they are current. */
    record Receiver(SequencerHeader header, GrantVerifier verifier) {}
}
