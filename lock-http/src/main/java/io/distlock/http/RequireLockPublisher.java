package io.distlock.http;

import io.distlock.Sequencer;
import io.distlock.http.RequireLockInterceptor.Check;
import java.util.List;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.core.ReactiveAdapter;
import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A call of a method that returns a publisher. Each subscription belongs to the request in its context, is checked, and only
 * then calls the method. The lock store is asked without blocking a thread. The fence, which may block, and the method are
 * called on a thread where they may.
 */
record RequireLockPublisher(Check check, ReactiveAdapter adapter, ProxyMethodInvocation untouched) {

    /** What the method's caller gets in place of its publisher. */
    static Object of(Check check, ReactiveAdapter adapter) {
        // The call itself is over when it returns.
        var untouched = (ProxyMethodInvocation) ((ProxyMethodInvocation) check.call()).invocableClone();
        var publisher = new RequireLockPublisher(check, adapter, untouched);
        Flux<Object> checked = Flux.deferContextual(context -> publisher.afterCheck(
                values(ServerWebExchangeContextFilter.getExchange(context).orElseThrow(check::noRequest))));
        return adapter.fromPublisher(adapter.isMultiValue() ? checked : checked.singleOrEmpty());
    }

    private static List<String> values(ServerWebExchange exchange) {
        return exchange.getRequest().getHeaders().getOrEmpty(SequencerHeader.NAME);
    }

    private Flux<Object> afterCheck(List<String> values) {
        Sequencer grant = check.grant(values);
        GrantVerifier verifier = check.verifier();
        return Mono.fromFuture(() -> verifier.confirm(grant))
                .onErrorMap(verifier::refusal)
                .publishOn(Schedulers.boundedElastic())
                .doOnNext(confirmation -> verifier.advance(grant, confirmation))
                .flatMapMany(confirmation -> body());
    }

    private Publisher<Object> body() {
        try {
            // A copy for each subscription, bound to its thread for aspects that look for it there.
            return adapter.toPublisher(ExposeInvocationInterceptor.INSTANCE.invoke(untouched.invocableClone()));
        } catch (Throwable thrown) {
            return Flux.error(thrown);
        }
    }
}
