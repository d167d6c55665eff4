package io.distlock.jdbc.autoconfigure;

import io.distlock.jdbc.JdbcFence;
import io.distlock.spring.transaction.TransactionFence;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Stops the start of an application that asks for fencing if its transactions would not be fenced; warns of reactive ones.
 */
record FenceCheck(
        ObjectProvider<JdbcFence> fences,
        ObjectProvider<PlatformTransactionManager> managers,
        ListableBeanFactory beans)
        implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(FenceCheck.class);

    @Override
    public void afterSingletonsInstantiated() {
        if (fences.stream().findAny().isEmpty()) {
            String found = names(DataSource.class);
            if (found.isEmpty()) {
                throw new IllegalStateException(
                        "there is no DataSource to fence: define one, or set distributed-lock.jdbc.fencing.enabled to"
                                + " false, and for R2DBC distributed-lock.r2dbc.fencing.enabled to true");
            }
            throw new IllegalStateException("there is no single DataSource to fence, but: " + found
                    + ": make the one that the locks protect @Primary, or set distributed-lock.jdbc.fencing.enabled to"
                    + " false");
        }
        List<PlatformTransactionManager> beginning = managers.orderedStream()
                .filter(manager -> fences.stream().anyMatch(fence -> begins(manager, fence)))
                .toList();
        if (beginning.isEmpty()) {
            throw new IllegalStateException(
                    "no transaction manager begins transactions of the fence's DataSource, so none would be fenced: define"
                            + " a JdbcTransactionManager or JpaTransactionManager for it, or set"
                            + " distributed-lock.jdbc.fencing.enabled to false");
        }
        // One that passes everything on to a bean is listened to there.
        if (beginning.stream().noneMatch(this::isListenedTo)) {
            throw new IllegalStateException("the transactions of "
                    + beginning.get(0).getClass().getName()
                    + " would not be fenced, since the locks do not listen to it: let it implement"
                    + " ConfigurableTransactionManager and define it in the application context of the locks, define"
                    + " the manager behind it as a bean too, or set distributed-lock.jdbc.fencing.enabled to false");
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

    /** Not if it is a bean of a parent context, which has no listener, or one that shows the locks to another fence. */
    private boolean isListenedTo(PlatformTransactionManager manager) {
        return beans.getBeanProvider(TransactionFence.class).stream().anyMatch(fence -> fence.isCalledFor(manager));
    }

    private String names(Class<?> type) {
        return String.join(", ", beans.getBeanNamesForType(type, true, false));
    }

    /** A manager that cannot begin a transaction counts as one that does not. */
    private static boolean begins(PlatformTransactionManager manager, JdbcFence fence) {
        TransactionTemplate transaction = new TransactionTemplate(manager);
        transaction.setReadOnly(true);
        try {
            return Objects.requireNonNullElse(
                    transaction.execute(status -> {
                        status.setRollbackOnly();
                        return fence.isInTransaction();
                    }),
                    false);
        } catch (TransactionException failure) {
            log.debug("The fence could not try {}", manager, failure);
            return false;
        }
    }
}
