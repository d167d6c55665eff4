package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.samples.flashsale.backstage.Backstage;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** Two application contexts, each with a lock client of its own, on one Redis and one database. */
@TestInstance(Lifecycle.PER_CLASS)
class TwoInstancesTests {

    private static final Workers EIGHT = new Workers(8);

    private Backstage backstage;
    private ConfigurableApplicationContext first;
    private ConfigurableApplicationContext second;

    @BeforeAll
    void start(@TempDir Path directory) {
        backstage = Backstage.open(directory.resolve("shop"));
        first = instance(backstage, "first");
        second = instance(Backstage.join(directory.resolve("shop")), "second");
    }

    @AfterAll
    void end() {
        second.close();
        first.close();
        backstage.close();
    }

    @Test
    void togetherSellExactlyTheStockWithTheLock() {
        SaleView sale = saleOnBoth(true);

        assertThat(sale.sold()).isEqualTo(100);
        assertThat(sale.oversold()).isZero();
        assertThat(sale.lostUpdates()).isZero();
        assertThat(sale.soldBy()).containsOnlyKeys("first", "second");
    }

    @Test
    void togetherSellMoreWithoutTheLock() {
        SaleView sale = saleOnBoth(false);

        assertThat(sale.oversold()).isPositive();
        assertThat(sale.lostUpdates()).isPositive();
    }

    @Test
    void eachCountsTheWorkersThatItHasAlready() {
        Sale sale = book(first).open(true, false);
        floor(first).join(sale, new Workers(60));

        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> floor(first).join(sale, EIGHT))
                .withMessage("workers must be at most 4, not 8: 60 are at work already");
        untilAllHaveLeft(sale);
    }

    private SaleView saleOnBoth(boolean withLock) {
        Sale sale = book(first).open(withLock, false);
        Sale same = book(second).latest().orElseThrow();
        // One right after the other, or there is nothing left to sell for the second.
        floor(first).join(sale, EIGHT);
        floor(second).join(same, EIGHT);
        untilAllHaveLeft(sale);
        return second.getBean(SaleViews.class).view(sale);
    }

    private void untilAllHaveLeft(Sale sale) {
        await().atMost(Duration.ofMinutes(5))
                .until(() -> floor(first).shift(sale).atWork() == 0
                        && floor(second).shift(sale).atWork() == 0);
    }

    private static SaleBook book(ConfigurableApplicationContext instance) {
        return instance.getBean(SaleBook.class);
    }

    private static SalesFloor floor(ConfigurableApplicationContext instance) {
        return instance.getBean(SalesFloor.class);
    }

    private static ConfigurableApplicationContext instance(Backstage backstage, String name) {
        return FlashSaleApplication.start(
                backstage, "--server.port=0", "--flash-sale.instance=" + name, "--flash-sale.think-time=10ms");
    }
}
