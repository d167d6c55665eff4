package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.json.JsonMapper;

/** Instances in processes of their own, started by their main method. */
final class ShopProcesses implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final Pattern OPEN = Pattern.compile("open at (http://\\S+)");

    private final JsonMapper json = JsonMapper.builder().build();
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Process> started = new ArrayList<>();
    private final Path directory;

    ShopProcesses(Path directory) {
        this.directory = directory;
    }

    Process start(String name, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dflash-sale.directory=" + directory.resolve("shop"),
                "-cp",
                System.getProperty("java.class.path"),
                FlashSaleApplication.class.getName(),
                "--flash-sale.instance=" + name,
                "--server.port=0",
                "--flash-sale.think-time=40ms"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log(name).toFile())
                .start();
        started.add(process);
        return process;
    }

    /** One that can be frozen for longer than its lease. A busy machine is neither a loss nor a store that is silent. */
    void startToBeFrozen(String name, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "--distributed-lock.lease-time=2s",
                "--flash-sale.freeze-time=6s",
                "--distributed-lock.redis.call-timeout=10s"));
        arguments.addAll(List.of(more));
        start(name, arguments.toArray(String[]::new));
    }

    /** Waits until an instance is open. */
    String address(String name) {
        Matcher open = await().atMost(PATIENCE).until(() -> OPEN.matcher(Files.readString(log(name))), Matcher::find);
        return open.group(1);
    }

    Path log(String name) {
        return directory.resolve(name + ".log");
    }

    void post(String address, int status) throws Exception {
        send("POST", address, status);
    }

    void send(String method, String address, int status) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    }

    SaleView look(String address) throws Exception {
        return get(address + "/api/sale", SaleView.class);
    }

    <T> T get(String address, Class<T> type) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address)).build();
        return json.readValue(http.send(request, BodyHandlers.ofString()).body(), type);
    }

    /** The sale once nobody is left who sells at these addresses. A frozen instance answers when it is awake. */
    SaleView untilItIsOver(String... addresses) throws Exception {
        await().atMost(PATIENCE).until(() -> {
            for (String address : addresses) {
                if (look(address).here().workers() > 0) {
                    return false;
                }
            }
            return true;
        });
        return look(addresses[addresses.length - 1]);
    }

    @Override
    public void close() {
        started.forEach(Process::destroy);
        started.forEach(process -> process.onExit().join());
    }
}
