package io.distlock.samples.flashsale;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The sample's own settings.
 *
 * @param instance what this instance calls itself among the others
 * @param stock how many pieces a sale offers
 * @param thinkTime what a sale spends between reading and writing: a price look-up, a payment
 * @param freezeTime for how long an instance can be frozen: longer than a lease
 * @param runsDatabase whether the database is in this process
 */
@ConfigurationProperties("flash-sale")
record FlashSaleSettings(String instance, int stock, Duration thinkTime, Duration freezeTime, boolean runsDatabase) {

    FlashSaleSettings {
        if (stock < 1) {
            throw new IllegalArgumentException("flash-sale.stock must be at least 1, not " + stock);
        }
    }
}
