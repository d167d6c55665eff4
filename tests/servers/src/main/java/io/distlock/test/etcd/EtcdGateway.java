package io.distlock.test.etcd;

import com.google.gson.Gson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Speaks with one server: its JSON gateway, which turns each request into an RPC, and its pages of plain text. Every
 * wait is bounded.
 *
 * <p>Safe for use by several threads.
 */
final class EtcdGateway {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int OK = 200;
    private static final Gson GSON = new Gson();

    /** As many as there ever are: a measurement may count the threads that are started in between. */
    private static final Executor THREADS = Executors.newFixedThreadPool(2, EtcdGateway::thread);

    private final EtcdEndpoint endpoint;
    private final HttpClient http;
    private final OwnRpcs own = new OwnRpcs();
    private volatile @Nullable String token;

    EtcdGateway(EtcdEndpoint endpoint) {
        this.endpoint = endpoint;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(TIMEOUT)
                .executor(THREADS);
        endpoint.certificate()
                .map(it -> endpoint.tls() == EtcdTls.MUTUAL ? it.mutualClientContext() : it.clientContext())
                .ifPresent(builder::sslContext);
        this.http = builder.build();
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "etcd-gateway");
        thread.setDaemon(true);
        return thread;
    }

    OwnRpcs own() {
        return own;
    }

    GatewayReply call(GatewayCall call, Map<String, Object> fields) {
        return call(call, fields, TIMEOUT);
    }

    GatewayReply call(GatewayCall call, Map<String, Object> fields, Duration timeout) {
        try {
            return send(call, fields, timeout);
        } catch (EtcdErrorException e) {
            if (endpoint.credentials().isEmpty() || !e.asksForLogin()) {
                throw e;
            }
            token = logIn(endpoint.credentials().get());
            return send(call, fields, timeout);
        }
    }

    /** A page of plain text; empty if its status is not 200. */
    Optional<String> page(String path, Duration timeout) {
        HttpResponse<String> response = exchange(request(path, timeout).GET().build());
        return response.statusCode() == OK ? Optional.of(response.body()) : Optional.empty();
    }

    private String logIn(EtcdCredentials credentials) {
        Map<String, Object> fields = Map.of("name", credentials.user(), "password", credentials.password());
        return send(GatewayCall.AUTHENTICATE, fields, TIMEOUT).text("token");
    }

    private GatewayReply send(GatewayCall call, Map<String, Object> fields, Duration timeout) {
        HttpRequest.Builder request = request(call.path(), timeout);
        Optional.ofNullable(token).ifPresent(it -> request.header("Authorization", it));
        own.asked(call);
        HttpResponse<String> response;
        try {
            response = exchange(request.POST(HttpRequest.BodyPublishers.ofString(GSON.toJson(fields)))
                    .build());
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof ConnectException) {
                own.notAskedAfterAll(call);
            }
            throw e;
        }
        if (response.statusCode() != OK) {
            throw EtcdErrorException.of(response.body());
        }
        own.answered(call);
        return GatewayReply.parse(response.body());
    }

    private HttpRequest.Builder request(String path, Duration timeout) {
        return HttpRequest.newBuilder(URI.create(endpoint.uri() + path)).timeout(timeout);
    }

    private HttpResponse<String> exchange(HttpRequest request) {
        try {
            return http.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(request.uri() + ": no reply", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + request.uri(), e);
        }
    }
}
