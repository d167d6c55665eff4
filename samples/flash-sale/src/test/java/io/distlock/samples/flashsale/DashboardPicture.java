package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.samples.flashsale.backstage.Backstage;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** Takes the documentation's picture of the dashboard: no test by its name; scripts/dashboard-picture runs it. */
class DashboardPicture {

    private static final Path PAGE =
            Path.of("..", "..", "scripts", "panels", "index.html").toAbsolutePath();
    private static final Path PICTURE = Path.of("..", "..", "docs", "images", "dashboard.png");
    private static final int WIDTH = 1360;

    /** The panels of rates have nothing to show before. */
    private static final Duration RATES_BEGIN = Prometheus.SCRAPE_INTERVAL.multipliedBy(3);

    /** Known as soon as all is drawn. */
    private static final String HEIGHT = "return document.body.dataset.height";

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void isTaken(@TempDir Path folder) throws Exception {
        try (Backstage first = Backstage.open(folder.resolve("shop"));
                ConfigurableApplicationContext one = instance(first, "web-1:8080");
                ConfigurableApplicationContext two = instance(Backstage.join(folder.resolve("shop")), "web-2:8080");
                Prometheus prometheus =
                        Prometheus.start(folder, Map.of("web-1:8080", port(one), "web-2:8080", port(two)));
                BusyNight night = new BusyNight(List.of(one, two))) {
            Instant from = Instant.now().plus(RATES_BEGIN);
            night.pass();
            draw(prometheus, from, Instant.now());
        }
    }

    private static void draw(Prometheus prometheus, Instant from, Instant to) throws IOException {
        String question = "?prometheus=%s&from=%d&to=%d&scrape=%d"
                .formatted(
                        prometheus.address(),
                        from.getEpochSecond(),
                        to.getEpochSecond(),
                        Prometheus.SCRAPE_INTERVAL.toSeconds());
        try (Chromium browser = Chromium.start()) {
            browser.size(WIDTH, WIDTH);
            browser.open(PAGE.toUri() + question);
            await().until(() -> browser.run(HEIGHT) != null);
            browser.size(WIDTH, Integer.parseInt((String) browser.run(HEIGHT)));
            assertThat(browser.console()).isEmpty();
            keep(ImageIO.read(new ByteArrayInputStream(browser.picture())));
        }
    }

    /** Written anew and as tightly as can be, because Chromium's own pictures are larger. */
    private static void keep(BufferedImage picture) throws IOException {
        ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
        ImageWriteParam tightly = writer.getDefaultWriteParam();
        tightly.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
        tightly.setCompressionQuality(0);
        Files.deleteIfExists(PICTURE);
        try (ImageOutputStream file = ImageIO.createImageOutputStream(PICTURE.toFile())) {
            writer.setOutput(file);
            writer.write(null, new IIOImage(picture, null, null), tightly);
        }
    }

    private static ConfigurableApplicationContext instance(Backstage backstage, String name) {
        return FlashSaleApplication.start(
                backstage,
                "--server.port=0",
                "--spring.application.name=shop",
                "--flash-sale.instance=" + name,
                "--flash-sale.stock=5000",
                "--flash-sale.think-time=20ms");
    }

    private static int port(ConfigurableApplicationContext instance) {
        return instance.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }
}
