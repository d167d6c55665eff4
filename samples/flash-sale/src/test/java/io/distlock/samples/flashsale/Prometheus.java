package io.distlock.samples.flashsale;

import io.distlock.test.process.Executables;
import io.distlock.test.process.FreePort;
import io.distlock.test.process.ServerProcess;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The system's Prometheus on a free port of the loopback interface. It ends with this JVM. */
final class Prometheus implements AutoCloseable {

    static final Duration SCRAPE_INTERVAL = Duration.ofSeconds(5);

    private static final Duration TIME_TO_START = Duration.ofSeconds(30);
    private static final int PATIENCE_MILLIS = 2_000;

    private final ServerProcess process;
    private final String address;

    private Prometheus(ServerProcess process, String address) {
        this.process = process;
        this.address = address;
    }

    /**
     * Starts one and waits until it answers.
     *
     * @param folder where it keeps its data
     * @param ports where the instances of the application are, by what they are to be called
     */
    static Prometheus start(Path folder, Map<String, Integer> ports) throws IOException {
        String listen = "127.0.0.1:" + FreePort.next();
        Path configuration = Files.writeString(folder.resolve("prometheus.yml"), configuration(ports));
        ServerProcess process = ServerProcess.start(
                "prometheus",
                folder,
                List.of(
                        program(),
                        "--config.file=" + configuration,
                        "--storage.tsdb.path=" + folder.resolve("data"),
                        "--web.listen-address=" + listen,
                        "--log.level=warn"));
        Prometheus prometheus = new Prometheus(process, "http://" + listen);
        process.awaitReady(TIME_TO_START, prometheus::isReady);
        return prometheus;
    }

    private static String program() {
        return Executables.onPath("prometheus")
                .orElseThrow(() ->
                        new IllegalStateException("no prometheus on PATH. Install one: apt-get install prometheus"))
                .toString();
    }

    private static String configuration(Map<String, Integer> ports) {
        String targets = ports.entrySet().stream()
                .map(port -> "      - targets: ['127.0.0.1:%d']\n        labels: {instance: '%s'}\n"
                        .formatted(port.getValue(), port.getKey()))
                .collect(Collectors.joining());
        return """
                global:
                  scrape_interval: %ds
                scrape_configs:
                  - job_name: shop
                    metrics_path: /actuator/prometheus
                    static_configs:
                """.formatted(SCRAPE_INTERVAL.toSeconds()) + targets;
    }

    private boolean isReady() {
        try {
            HttpURLConnection connection =
                    (HttpURLConnection) URI.create(address + "/-/ready").toURL().openConnection();
            connection.setConnectTimeout(PATIENCE_MILLIS);
            connection.setReadTimeout(PATIENCE_MILLIS);
            return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
        } catch (IOException e) {
            return false;
        }
    }

    String address() {
        return address;
    }

    @Override
    public void close() {
        process.stop();
    }
}
