package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Takes the picture of an instance that was frozen: no test by its name, so that only scripts/screenshots runs it. */
class FrozenPicture {

    @TempDir
    Path directory;

    @Test
    void isTaken() throws Exception {
        try (ShopProcesses shops = new ShopProcesses(directory);
                Chromium browser = Chromium.start()) {
            shops.startToBeFrozen("localhost:8080");
            String one = shops.address("localhost:8080");
            shops.startToBeFrozen("localhost:8081", "--join");
            String two = shops.address("localhost:8081");
            browser.prefer("light");
            browser.size(1280, 940);
            browser.open(two);
            shops.post(one + "/api/sale?workers=2&lock=true&fenced=true", 200);
            shops.post(two + "/api/sale/workers?workers=4", 200);
            shops.post(two + "/api/sale/freeze", 200);
            shops.untilItIsOver(one, two);
            browser.run("document.getElementById('fenced').checked = true");
            await().untilAsserted(() -> assertThat(browser.text("notice")).contains("is stale"));
            await().untilAsserted(() -> assertThat(browser.text("verdict")).contains("100 of 100"));
            Pictures.keep(browser, "fenced.png");
        }
    }
}
