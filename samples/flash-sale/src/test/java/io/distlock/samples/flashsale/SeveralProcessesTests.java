package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README tells to do: two processes, started by their main method. */
class TwoProcessesTests {

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
    void sellExactlyTheStockAndEndTogether() throws Exception {
        Process first = shops.start("first");
        String one = shops.address("first");
        Process second = shops.start("second", "--join");
        String two = shops.address("second");

        shops.post(two + "/api/sale/workers?workers=8", 409);
        shops.post(one + "/api/sale?workers=8&lock=true", 200);
        shops.post(two + "/api/sale/workers?workers=8", 200);
        SaleView sale = await().atMost(ShopProcesses.PATIENCE)
                .until(
                        () -> shops.look(two),
                        view -> view.stock() == 0 && view.here().workers() == 0);
        assertThat(sale.sold()).isEqualTo(100);
        assertThat(sale.oversold()).isZero();
        assertThat(sale.lostUpdates()).isZero();
        assertThat(sale.soldBy()).hasSize(2);

        first.destroy();
        await().atMost(ShopProcesses.PATIENCE).until(() -> !first.isAlive() && !second.isAlive());
    }

    @Test
    void theSecondSaysThatThereIsNoFirst() throws Exception {
        Process second = shops.start("second", "--join");

        await().atMost(ShopProcesses.PATIENCE).until(() -> !second.isAlive());
        assertThat(second.exitValue()).isEqualTo(1);
        assertThat(shops.log("second"))
                .content()
                .startsWith("There is no first instance to join")
                .doesNotContain("\tat ");
    }
}
