package io.distlock.spring.transaction;

import org.springframework.transaction.reactive.TransactionCallback;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An operator whose transactions know the locks that they are begun under. */
record GuardedTransactionalOperator(TransactionalOperator operator, ReactiveTransactionScopes scopes)
        implements TransactionalOperator {

    @Override
    public <T> Mono<T> transactional(Mono<T> mono) {
        return operator.transactional(scopes.guarded(mono.flux()).singleOrEmpty());
    }

    @Override
    public <T> Flux<T> execute(TransactionCallback<T> action) {
        return operator.execute(transaction -> scopes.guarded(Flux.from(action.doInTransaction(transaction))));
    }
}
