package io.distlock.http;

import io.distlock.HeldLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.ReactiveLockContext;
import java.util.Collection;
import java.util.List;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;

/**
 * Like {@link LockSequencerInterceptor}, for a {@code WebClient}. Sends the locks of the subscription, as in {@link
 * ReactiveLockContext}. If it has none, sends those of the subscribing thread. Thread-safe.
 */
public final class LockSequencerFilter implements ExchangeFilterFunction {

    private final TargetHosts hosts;
    private final SequencerHeader header;

    /** As for {@link LockSequencerInterceptor}. */
    public LockSequencerFilter(Collection<String> hosts) {
        this(TargetHosts.of(hosts), new SequencerHeader(List.of()));
    }

    /** As for {@link LockSequencerInterceptor}. */
    public LockSequencerFilter(Collection<String> hosts, String secret) {
        this(TargetHosts.of(hosts), new SequencerHeader(List.of(secret)));
    }

    LockSequencerFilter(TargetHosts hosts, SequencerHeader header) {
        this.hosts = hosts;
        this.header = header;
    }

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        if (!hosts.includes(request.url()) || request.headers().containsHeader(SequencerHeader.NAME)) {
            return next.exchange(request);
        }
        return ReactiveLockContext.all()
                .flatMap(locks -> next.exchange(with(request, locks.isEmpty() ? LockContext.all() : locks)));
    }

    private ClientRequest with(ClientRequest request, List<HeldLock> locks) {
        List<String> values = header.valuesOfHeld(locks);
        return values.isEmpty()
                ? request
                : ClientRequest.from(request)
                        .headers(headers -> headers.addAll(SequencerHeader.NAME, values))
                        .build();
    }
}
