package io.distlock.http;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Requests to a receiver on this machine, with these values of the header. */
final class HttpCalls {

    private static final HttpClient SHARED = HttpClient.newHttpClient();

    private HttpCalls() {}

    static HttpResponse<String> send(int port, String method, String path, List<String> values) {
        return sendAsync(port, method, path, values).join();
    }

    static CompletableFuture<HttpResponse<String>> sendAsync(
            int port, String method, String path, List<String> values) {
        return sendAsync(SHARED, port, method, path, values);
    }

    static CompletableFuture<HttpResponse<String>> sendAsync(
            HttpClient client, int port, String method, String path, List<String> values) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .timeout(Duration.ofMinutes(2))
                .method(method, HttpRequest.BodyPublishers.noBody());
        values.forEach(value -> request.header(SequencerHeader.NAME, value));
        return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
