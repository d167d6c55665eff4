package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.HeldLockInfo;
import io.distlock.LockClient;
import io.distlock.LockMode;
import io.distlock.LockRequest;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.context.TestPropertySource;

/** Takes the documentation's pictures of the pages: no test by its name, so that only scripts/screenshots runs it. */
@OperatedShop
@TestPropertySource(
        properties = {
            "spring.application.name=shop",
            "distributed-lock.instance-id=web-1.4711",
            "flash-sale.instance=localhost:8080"
        })
class Pictures {

    private static final Path PICTURES = Path.of("..", "..", "docs", "images");
    private static final int DESK = 1280;
    private static final int PHONE = 390;

    @LocalServerPort
    int port;

    @Autowired
    LockClient client;

    @Autowired
    StringRedisTemplate redis;

    @Test
    void areTaken() throws IOException {
        try (Chromium browser = Chromium.start()) {
            busyNight();
            browser.open(address("locks.html"));
            take(browser, "light", DESK, 1200, "locks.png");
            take(browser, "dark", DESK, 1200, "locks-dark.png");
            take(browser, "light", PHONE, 844, "locks-phone.png");
            takeASale(browser);
        }
    }

    /** A lock that was lost, some that are held, and calls that wait for one of them and for one of another instance. */
    private void busyNight() {
        HeldLock lost = hold("invoices", client.request("invoices", "2026-11"));
        hold("http-nio-8080-exec-3", client.request("orders", "1042"));
        hold("http-nio-8080-exec-7", client.request("orders", "1077"));
        hold("scheduling-1", client.request("catalogue").withMode(LockMode.SHARED));
        redis.opsForValue().set("lock:{stock:sku-77}", "shop@web-2.4711~4f1c-9:17", Duration.ofMinutes(10));
        await().atMost(Duration.ofMinutes(1))
                .until(() -> client.held().map(HeldLockInfo::renewals).allMatch(renewals -> renewals > 1));
        client.forceRelease(lost.keys().get(0), lost.fencingToken());
        waitFor("http-nio-8080-exec-4", client.request("orders", "1042").withWaitTime(Duration.ofSeconds(25)));
        waitFor("http-nio-8080-exec-9", client.request("stock", "sku-77").withWaitTime(Duration.ofSeconds(40)));
        waitFor("http-nio-8080-exec-2", client.request("orders", "1042").withWaitTime(Duration.ofSeconds(30)));
    }

    private HeldLock hold(String thread, LockRequest request) {
        HeldLock[] held = new HeldLock[1];
        inThread(thread, () -> held[0] = client.acquire(request));
        return held[0];
    }

    private void waitFor(String thread, LockRequest request) {
        inThread(thread, () -> client.acquireAsync(request));
    }

    private static void inThread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.start();
        await().until(() -> !thread.isAlive());
    }

    private void take(Chromium browser, String scheme, int width, int height, String file) throws IOException {
        browser.prefer(scheme);
        browser.size(width, height);
        await().untilAsserted(() -> assertThat(browser.text("waiting")).contains("web-2"));
        keep(browser, file);
    }

    private void takeASale(Chromium browser) throws IOException {
        browser.prefer("light");
        browser.size(DESK, 900);
        browser.open(address(""));
        browser.run("document.querySelector('button[value=locked]').click()");
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(browser.text("sold")).matches("[4-9]\\d"));
        keep(browser, "sale.png");
    }

    /** Written anew, because Chromium's own pictures are larger. */
    static void keep(Chromium browser, String file) throws IOException {
        BufferedImage picture = ImageIO.read(new ByteArrayInputStream(browser.picture()));
        Files.createDirectories(PICTURES);
        ImageIO.write(picture, "png", PICTURES.resolve(file).toFile());
    }

    private String address(String page) {
        return "http://localhost:" + port + "/" + page;
    }
}
