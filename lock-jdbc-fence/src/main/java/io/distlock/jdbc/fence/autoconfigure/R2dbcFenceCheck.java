package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.jdbc.fence.R2dbcFence;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/** Stops the start of an application that asks for fencing if its reactive transactions would not be fenced. */
record R2dbcFenceCheck(ListableBeanFactory beans) implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(R2dbcFenceCheck.class);

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final String OFF = ", or set distributed-lock.r2dbc.fencing.enabled to false";

    @Override
    public void afterSingletonsInstantiated() {
        R2dbcFence fence = beans.getBeanProvider(R2dbcFence.class).getIfAvailable();
        String found = String.join(", ", beans.getBeanNamesForType(ConnectionFactory.class, true, false));
        // A factory of this context needs a fence of this context.
        if (fence == null || (!found.isEmpty() && beans.getBeanNamesForType(R2dbcFence.class).length == 0)) {
            throw new IllegalStateException(
                    found.isEmpty()
                            ? "there is no ConnectionFactory to fence: define one" + OFF
                            : "there is no single ConnectionFactory to fence, but: " + found
                                    + ": make the one that the locks protect @Primary" + OFF);
        }
        Map<String, ReactiveTransactionManager> managers =
                BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, ReactiveTransactionManager.class);
        if (managers.entrySet().stream()
                        .filter(manager -> isFenced(manager, fence))
                        .count()
                == 0) {
            throw new IllegalStateException(
                    "no transaction manager begins transactions of the fence's ConnectionFactory,"
                            + " so none would be fenced: define an R2dbcTransactionManager for it" + OFF);
        }
    }

    /** False if the manager begins no transactions of the fence's database; throws if it does, but they would not be fenced. */
    private static boolean isFenced(Map.Entry<String, ReactiveTransactionManager> manager, R2dbcFence fence) {
        boolean fenced = begins(manager.getValue(), fence);
        if (!fenced
                && manager.getValue() instanceof R2dbcTransactionManager known
                && fence.isOf(Objects.requireNonNull(known.getConnectionFactory()))) {
            throw new IllegalStateException("the transactions of " + manager.getKey()
                    + " would not be fenced, since its ConnectionFactory wraps the fence's, or the other way round: give it the"
                    + " same ConnectionFactory bean as the fence" + OFF);
        }
        return fenced;
    }

    /** A manager that cannot begin a transaction counts as one that does not. */
    private static boolean begins(ReactiveTransactionManager manager, R2dbcFence fence) {
        DefaultTransactionDefinition readOnly = new DefaultTransactionDefinition();
        readOnly.setReadOnly(true);
        try {
            return Objects.requireNonNullElse(
                    TransactionalOperator.create(manager, readOnly)
                            .execute(status -> {
                                status.setRollbackOnly();
                                return fence.isInTransaction();
                            })
                            .blockLast(PATIENCE),
                    false);
        } catch (TransactionException failure) {
            log.debug("The fence could not try {}", manager, failure);
            return false;
        }
    }
}
