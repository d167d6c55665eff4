package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.samples.flashsale.backstage.Backstage;
import io.distlock.samples.flashsale.backstage.LockStore;
import io.distlock.spi.LockProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;

/** The same shop with its lock on each of the stores. */
class LockStoreTests {

    @ParameterizedTest
    @EnumSource
    void sellsExactlyTheStock(LockStore store, @TempDir Path directory) {
        try (Backstage backstage = Backstage.open(directory.resolve("shop"), store, Optional.empty());
                ConfigurableApplicationContext shop = FlashSaleApplication.start(
                        backstage,
                        "--server.port=0",
                        "--flash-sale.think-time=10ms",
                        "--distributed-lock.wait-time=60s")) {
            assertThat(shop.getBean(LockProvider.class).name())
                    .isEqualTo(store.name().toLowerCase(Locale.ROOT));
            Sale sale = shop.getBean(SaleBook.class).open(true, false);
            SalesFloor floor = shop.getBean(SalesFloor.class);
            floor.join(sale, new Workers(8));
            await().atMost(Duration.ofMinutes(8)).until(() -> floor.shift(sale).atWork() == 0);
            SaleView view = shop.getBean(SaleViews.class).view(sale);
            assertThat(view.sold()).isEqualTo(100);
            assertThat(view.lostUpdates()).isZero();
            assertThat(shop.getBean(HealthEndpoint.class).health().getStatus()).isEqualTo(Status.UP);
        }
    }
}
