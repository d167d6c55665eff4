package io.distlock.spring.transaction;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.Sequencer;
import io.distlock.spring.execution.HeldLocks;
import io.distlock.spring.execution.ReferenceCountedLock;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransaction;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ReflectionUtils;

/**
 * Prevents commits under a lost lock: installs a listener in each transaction manager that checks, as the last thing
 * before a commit, the locks that the transaction was begun under and those taken inside it. A failed check
 * rolls the transaction back. Thread-safe.
 */
final class CommitGuard implements BeanPostProcessor, PriorityOrdered {

    private static final Logger log = LoggerFactory.getLogger(CommitGuard.class);

    /** Bound to the thread while {@link #shows} asks: the fences that would be shown the locks of its transaction. */
    private record Shown(Set<TransactionFence> fences) {}

    private final boolean asksStore;
    private final Supplier<List<TransactionFence>> fences;
    private final Listener listener = new Listener();

    /** The fences are not asked for before the first transaction under a lock. */
    CommitGuard(boolean asksStore, Supplier<List<TransactionFence>> fences) {
        this.asksStore = asksStore;
        this.fences = fences;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    /** After the initialization: the product of a factory does not pass through here before it. */
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        // A proxy passes the listener on to a manager that may have it.
        if (bean instanceof ConfigurableTransactionManager manager
                && !manager.getTransactionExecutionListeners().contains(listener)) {
            manager.addListener(listener);
        }
        TransactionAdvice.extend(bean, listener::proceed);
        return bean;
    }

    /** Shows these locks to the resources that refuse stale holders. */
    void fence(Collection<ReferenceCountedLock> locks) {
        for (TransactionFence fence : fences.get()) {
            fenced(locks).forEach(entry -> fence.enter(entry.getKey(), entry.getValue()));
        }
    }

    /**
     * The grants among these locks that are to be fenced, each with its provider, in the order of their keys. Shared ones come
     * last: comparing them may begin the transaction's snapshot, and an exclusive one may have to wait for another transaction.
     */
    static Stream<Map.Entry<String, Sequencer>> fenced(Collection<ReferenceCountedLock> locks) {
        return locks.stream()
                .filter(ReferenceCountedLock::isFenced)
                .flatMap(lock -> lock.lock().sequencers().stream()
                        .map(sequencer -> Map.entry(lock.client().provider(), sequencer)))
                .sorted(Comparator.comparing((Map.Entry<String, Sequencer> grant) ->
                                grant.getValue().mode())
                        .thenComparing(grant -> grant.getValue().key()));
    }

    boolean isFencing() {
        return !fences.get().isEmpty();
    }

    /** Whether one shows the locks of this manager's transactions to the fence, or those of the manager behind it. */
    static boolean shows(PlatformTransactionManager manager, TransactionFence fence) {
        Shown shown = new Shown(new HashSet<>());
        TransactionTemplate transaction = new TransactionTemplate(manager);
        transaction.setReadOnly(true);
        TransactionSynchronizationManager.bindResource(Shown.class, shown);
        try {
            transaction.executeWithoutResult(TransactionExecution::setRollbackOnly);
        } finally {
            TransactionSynchronizationManager.unbindResource(Shown.class);
        }
        return shown.fences().contains(fence);
    }

    /** How many reactive transactions were rolled back to a savepoint so far, in all: a listener does not know where. */
    long rollbacksToSavepoints() {
        return listener.rollbacksToSavepoints.get();
    }

    /** Whether a check blocks. */
    boolean asksStore() {
        return asksStore;
    }

    /** Requires all of these locks to be held: by the clock and, if it is asked, by the store. */
    void check(Collection<ReferenceCountedLock> locks) {
        for (ReferenceCountedLock each : locks) {
            each.lock().ensureHeld();
            if (asksStore) {
                confirm(each.lock(), each.client());
            }
        }
    }

    /** The failure of a check in a form that rolls back: Spring takes a TransactionException for a failure of the commit. */
    static IllegalStateException notChecked(TransactionException failure) {
        return new IllegalStateException(
                "the locks of the transaction could not be checked before its commit", failure);
    }

    private static void confirm(HeldLock lock, LockClient client) {
        for (Sequencer sequencer : lock.sequencers()) {
            if (!client.isCurrent(sequencer)) {
                // The store answers the release with NOT_OWNER, so this throws the LockLostException.
                lock.close();
                throw new IllegalStateException("the store no longer has lock '" + sequencer + "'");
            }
        }
    }

    /** Remembers the locks under which each transaction was begun, and checks them before its commit. */
    private final class Listener implements TransactionExecutionListener {

        /** Only transactions begun under a lock. Keyed weakly, since the listener does not learn of the end of every one. */
        private final Map<TransactionExecution, Begun> begun = Collections.synchronizedMap(new WeakHashMap<>());

        private final AtomicLong rollbacksToSavepoints = new AtomicLong();

        /**
         * Must not throw: the transaction would stay bound to the thread. A refusal is thrown where the body of a
         * {@code @Transactional} method would run, or at the commit.
         */
        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            if (TransactionSynchronizationManager.getResource(Shown.class) instanceof Shown shown) {
                shown.fences().addAll(fences.get());
            }
            List<ReferenceCountedLock> locks = HeldLocks.reachable().referenced();
            if (failure == null && !locks.isEmpty() && isBoundToThread(transaction)) {
                Begun under = new Begun(locks);
                begun.put(transaction, under);
                try {
                    fence(locks);
                } catch (RuntimeException | Error refusal) {
                    under.refusal = refusal;
                }
            }
        }

        /** Runs the body of a {@code @Transactional} method unless its transaction was refused or a lock around it lost. */
        @Nullable
        Object proceed(MethodInvocation invocation) throws Throwable {
            if (!begun.isEmpty() && TransactionSynchronizationManager.isActualTransactionActive()) {
                current().map(begun::get).ifPresent(Begun::requireHeld);
            }
            return invocation.proceed();
        }

        /** Empty for a reactive method that is called in a thread's transaction. */
        private static Optional<TransactionStatus> current() {
            try {
                return Optional.of(TransactionAspectSupport.currentTransactionStatus());
            } catch (NoTransactionException none) {
                return Optional.empty();
            }
        }

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            if (isBoundToThread(transaction)) {
                Begun under = begun.get(transaction);
                try {
                    Set<ReferenceCountedLock> locks = new LinkedHashSet<>(TransactionScope.kept());
                    if (under != null) {
                        under.requireHeld();
                        locks.addAll(under.locks);
                    }
                    check(locks);
                    fence(locks);
                } catch (TransactionException failure) {
                    throw notChecked(failure);
                }
            }
        }

        @Override
        public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
            begun.remove(transaction);
        }

        @Override
        public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
            if (!isBoundToThread(transaction) && transaction.isNested()) {
                rollbacksToSavepoints.incrementAndGet();
            }
            Begun under = begun.remove(transaction);
            if (under != null && under.refusal != null && !under.thrown) {
                log.warn(
                        "The fence refused a transaction when it began; the transaction then failed for another reason",
                        under.refusal);
            }
        }

        /** A reactive transaction is not bound to the thread on which it begins. */
        private static boolean isBoundToThread(TransactionExecution transaction) {
            return !(transaction instanceof ReactiveTransaction);
        }
    }

    /** The locks under which a transaction was begun, and why it was refused, if it was. For its thread alone. */
    private static final class Begun {

        private final List<ReferenceCountedLock> locks;
        private @Nullable Throwable refusal;
        private boolean thrown;

        Begun(List<ReferenceCountedLock> locks) {
            this.locks = locks;
        }

        /** Also before the body: a lock may have been lost while the transaction waited for its connection. */
        void requireHeld() {
            if (refusal != null) {
                thrown = true;
                ReflectionUtils.rethrowRuntimeException(refusal);
            }
            locks.forEach(each -> each.lock().ensureHeld());
        }
    }
}
