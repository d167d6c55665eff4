package io.distlock.samples.flashsale;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The sample's own settings.
 *
 * @param instance what this instance calls itself among the others
 * @param stock how many pieces a sale offers
 * @param thinkTime what a sale spends between reading and writing: a price look-up, a payment
 */
@ConfigurationProperties("flash-sale")
record FlashSaleSettings(String instance, int stock, Duration thinkTime) {

    FlashSaleSettings {
        if (stock < 1) {
            throw new IllegalArgumentException("flash-sale.stock must be at least 1, not " + stock);
        }
    }
}
