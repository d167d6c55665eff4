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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** What the README tells to do: two processes, started by their main method. */
class TwoProcessesTests {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Pattern OPEN = Pattern.compile("open at (http://\\S+)");

    private final JsonMapper json = JsonMapper.builder().build();
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Process> started = new ArrayList<>();

    @TempDir
    Path directory;

    @AfterEach
    void end() {
        started.forEach(Process::destroy);
        started.forEach(process -> process.onExit().join());
    }

    @Test
    void sellExactlyTheStockAndEndTogether() throws Exception {
        Process first = instance("first");
        String one = address("first");
        Process second = instance("second", "--join");
        String two = address("second");

        post(two + "/api/sale/workers?workers=8", 409);
        post(one + "/api/sale?workers=8&lock=true", 200);
        post(two + "/api/sale/workers?workers=8", 200);
        SaleView sale = await().atMost(PATIENCE)
                .until(() -> look(two), view -> view.stock() == 0 && view.here().workers() == 0);
        assertThat(sale.sold()).isEqualTo(100);
        assertThat(sale.oversold()).isZero();
        assertThat(sale.lostUpdates()).isZero();
        assertThat(sale.soldBy()).hasSize(2);

        first.destroy();
        await().atMost(PATIENCE).until(() -> !first.isAlive() && !second.isAlive());
    }

    @Test
    void theSecondSaysThatThereIsNoFirst() throws Exception {
        Process second = instance("second", "--join");

        await().atMost(PATIENCE).until(() -> !second.isAlive());
        assertThat(second.exitValue()).isEqualTo(1);
        assertThat(directory.resolve("second.log"))
                .content()
                .startsWith("There is no first instance to join")
                .doesNotContain("\tat ");
    }

    private Process instance(String name, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
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

    private String address(String name) {
        Matcher open = await().atMost(PATIENCE).until(() -> OPEN.matcher(Files.readString(log(name))), Matcher::find);
        return open.group(1);
    }

    private Path log(String name) {
        return directory.resolve(name + ".log");
    }

    private void post(String address, int status) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    }

    private SaleView look(String address) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(address + "/api/sale")).build();
        return json.readValue(http.send(request, BodyHandlers.ofString()).body(), SaleView.class);
    }
}
