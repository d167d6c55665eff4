package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.jdbc.fence.JdbcFence;
import io.distlock.spring.transaction.TransactionFence;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Stops the start of an application that asks for fencing if some transactions of its database would not be fenced; warns of
 * reactive ones.
 */
record FenceCheck(ListableBeanFactory beans) implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(FenceCheck.class);

    private static final String OFF = ", or set distributed-lock.jdbc.fencing.enabled to false";

    /** What a manager's transaction is to the fence, and why it would not be fenced, if it should be. */
    private enum Begun {
        FENCED(""),
        ELSEWHERE(""),
        UNKNOWN_TO_THE_LOCKS(
                "since the locks do not listen to it: let it implement ConfigurableTransactionManager and define"
                        + " it in an application context with locks, define the manager behind it as a bean too"),
        WITHOUT_SYNCHRONIZATIONS(
                "since they have no synchronizations: set its transactionSynchronization to another value than"
                        + " SYNCHRONIZATION_NEVER"),
        BY_ANOTHER_PROXY(
                "since its DataSource is a proxy of the fence's, or the other way round: give it the same DataSource"
                        + " bean as the fence");

        private final String problem;

        Begun(String problem) {
            this.problem = problem;
        }
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<JdbcFence> fences =
                beans.getBeanProvider(JdbcFence.class).orderedStream().toList();
        String own = names(DataSource.class);
        // A data source of this context needs a fence of this context.
        if (fences.isEmpty() || (!own.isEmpty() && names(JdbcFence.class).isEmpty())) {
            throw new IllegalStateException(
                    own.isEmpty()
                            ? "there is no DataSource to fence: define one, or set distributed-lock.jdbc.fencing.enabled to"
                                    + " false, and for R2DBC distributed-lock.r2dbc.fencing.enabled to true"
                            : "there is no single DataSource to fence, but: " + own
                                    + ": make the one that the locks protect @Primary" + OFF);
        }
        Map<String, PlatformTransactionManager> managers =
                BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, PlatformTransactionManager.class);
        long fenced = managers.entrySet().stream()
                .filter(manager -> fences.stream().anyMatch(fence -> isFenced(manager, fence)))
                .count();
        if (fenced == 0) {
            throw new IllegalStateException(
                    "no transaction manager begins transactions of the fence's DataSource, so none would be fenced: define"
                            + " a JdbcTransactionManager or JpaTransactionManager for it" + OFF);
        }
        String reactive = names(ReactiveTransactionManager.class);
        if (!reactive.isEmpty() && names(TransactionFence.Reactive.class).isEmpty()) {
            log.warn(
                    "The transactions of {} are reactive and not fenced, so a stale holder can write in them: set"
                            + " distributed-lock.r2dbc.fencing.enabled to true, or compare its token in each statement,"
                            + " as in 'update ... where ... and token <= :token'",
                    reactive);
        }
    }

    /** False if the manager begins no transactions of the fence's database; throws if it does, but they would not be fenced. */
    private boolean isFenced(Map.Entry<String, PlatformTransactionManager> manager, JdbcFence fence) {
        Begun begun = begun(manager.getValue(), fence);
        if (begun == Begun.FENCED && !isListenedTo(manager.getValue())) {
            begun = Begun.UNKNOWN_TO_THE_LOCKS;
        }
        if (!begun.problem.isEmpty()) {
            throw new IllegalStateException("the transactions of " + manager.getKey() + " ("
                    + manager.getValue().getClass().getName() + ") would not be fenced, " + begun.problem + OFF);
        }
        return begun == Begun.FENCED;
    }

    /** One that passes everything on to a bean is listened to there. */
    private boolean isListenedTo(PlatformTransactionManager manager) {
        return beans.getBeanProvider(TransactionFence.class).stream().anyMatch(fence -> fence.isCalledFor(manager));
    }

    private String names(Class<?> type) {
        return String.join(", ", beans.getBeanNamesForType(type, true, false));
    }

    /** A manager that cannot begin a transaction counts as one that does not. */
    private static Begun begun(PlatformTransactionManager manager, JdbcFence fence) {
        TransactionTemplate transaction = new TransactionTemplate(manager);
        transaction.setReadOnly(true);
        try {
            return Objects.requireNonNull(transaction.execute(status -> {
                status.setRollbackOnly();
                if (fence.isInTransaction()) {
                    return Begun.FENCED;
                }
                boolean ofTheFence = TransactionSynchronizationManager.getResourceMap().keySet().stream()
                        .anyMatch(key -> key instanceof DataSource source && fence.isOf(source));
                if (!ofTheFence) {
                    return Begun.ELSEWHERE;
                }
                return TransactionSynchronizationManager.isActualTransactionActive()
                        ? Begun.BY_ANOTHER_PROXY
                        : Begun.WITHOUT_SYNCHRONIZATIONS;
            }));
        } catch (TransactionException failure) {
            log.debug("The fence could not try {}", manager, failure);
            return Begun.ELSEWHERE;
        }
    }
}
