package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.test.sql.SqlServer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An instance that is stopped in the middle of a sale for longer than its lease. */
class FrozenInstanceTests {

    @TempDir
    Path directory;

    private ShopProcesses shops;

    @BeforeEach
    void prepare() {
        shops = new ShopProcesses(directory);
    }

    @AfterEach
    void end() {
        shops.close();
    }

    @Test
    void withoutAFenceWritesWhatItHadInMindInSpiteOfTheLockAndWithOneIsRefused() throws Exception {
        shops.startToBeFrozen("first");
        String one = shops.address("first");
        shops.startToBeFrozen("second", "--join");
        String two = shops.address("second");

        SaleView unfenced = freezeTheSecond(one, two, false);
        assertThat(unfenced.lostUpdates()).isPositive();
        assertThat(unfenced.oversold()).isPositive();

        // The first one's database would be frozen with it.
        shops.post(one + "/api/sale/freeze", 409);

        SaleView fenced;
        try (Chromium browser = Chromium.start()) {
            browser.open(two);
            fenced = freezeTheSecond(one, two, true);
            await().untilAsserted(() -> assertThat(browser.text("notice"))
                    .contains("the database has refused a sale")
                    .contains("is stale"));
            assertThat(browser.text("title")).contains("with the lock and a fence");
            // The page asks once in a while.
            await().untilAsserted(() -> assertThat(browser.text("verdict")).isEqualTo("Sold out: exactly 100 of 100."));
        }
        assertThat(fenced.sold()).isEqualTo(100);
        assertThat(fenced.lostUpdates()).isZero();
        assertThat(fenced.oversold()).isZero();
    }

    @Test
    void isRefusedByPostgreSql() throws Exception {
        // A server ends when nobody is connected any more.
        try (SqlServer postgresql = SqlServer.start(SqlServer.Product.POSTGRESQL);
                ShopProcesses connected = shops) {
            connected.startToBeFrozen("first", "--database=" + postgresql.url() + "?user=" + postgresql.user());
            String one = connected.address("first");
            connected.startToBeFrozen("second", "--join");

            String two = connected.address("second");

            SaleView fenced = freezeTheSecond(one, two, true);

            assertThat(fenced.sold()).isEqualTo(100);
            assertThat(fenced.lostUpdates()).isZero();
            assertThat(fenced.here().trouble())
                    .hasValueSatisfying(trouble -> assertThat(trouble).contains("the database has refused a sale"));
        }
    }

    private SaleView freezeTheSecond(String one, String two, boolean fenced) throws Exception {
        // Its first request takes long, and the sale goes on meanwhile.
        shops.post(two + "/api/sale/freeze", 409);
        shops.post(one + "/api/sale?workers=2&lock=true&fenced=" + fenced, 200);
        shops.post(two + "/api/sale/workers?workers=4", 200);
        shops.post(two + "/api/sale/freeze", 200);
        return shops.untilItIsOver(one, two);
    }
}
