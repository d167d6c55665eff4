package io.distlock.http;

import io.distlock.spring.LockContext;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Adds the header {@code Lock-Sequencer} to requests of a {@code RestClient} or {@code RestTemplate}: one value for each lock
 * that the current call holds, as in {@link LockContext}. Requests to hosts other than those named stay as they are, and so
 * does a header that is already there.
 *
 * <p>If the call has lost one of its locks, the request is not sent and fails with {@link io.distlock.LockLostException}.
 * Thread-safe.
 */
public final class LockSequencerInterceptor implements ClientHttpRequestInterceptor {

    private final TargetHosts hosts;
    private final SequencerHeader header;

    /**
     * Without signatures: the receiver asks the lock store.
     *
     * @param hosts names, or names with a port, as in {@code stock:8443}
     */
    public LockSequencerInterceptor(Collection<String> hosts) {
        this(TargetHosts.of(hosts), new SequencerHeader(List.of()));
    }

    /**
     * @param secret signs the values; the same at the receiver
     */
    public LockSequencerInterceptor(Collection<String> hosts, String secret) {
        this(TargetHosts.of(hosts), new SequencerHeader(List.of(secret)));
    }

    LockSequencerInterceptor(TargetHosts hosts, SequencerHeader header) {
        this.hosts = hosts;
        this.header = header;
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        if (hosts.includes(request.getURI()) && !request.getHeaders().containsHeader(SequencerHeader.NAME)) {
            List<String> values = header.valuesOfHeld(LockContext.all());
            if (!values.isEmpty()) {
                request.getHeaders().addAll(SequencerHeader.NAME, values);
            }
        }
        return execution.execute(request, body);
    }
}
