package io.distlock.samples.flashsale;

import io.distlock.spring.DistributedLock;
import java.time.Duration;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Sells, in the naive way: read the stock, think, write the stock. A transaction does not make that safe: two sellers
 * who read 7 both write 6, and one sale is forgotten. The lock does, over all instances, unless its holder stops for longer
 * than its lease and then writes what it had in mind. That is what the fence is for.
 */
@Service
public class Shop {

    static final String LOCK_NAME = "sale";

    private final Stock stock;
    private final Freezer freezer;
    private final Duration thinkTime;

    Shop(Stock stock, Freezer freezer, FlashSaleSettings settings) {
        this.stock = stock;
        this.freezer = freezer;
        this.thinkTime = settings.thinkTime();
    }

    /**
     * Sells one piece while nobody else sells the same item, on this instance or any other.
     *
     * @return whether there was one left
     */
    @DistributedLock(name = LOCK_NAME, key = "#itemId")
    public boolean sell(long itemId, String seller) {
        int left = stock.read(itemId);
        if (left <= 0) {
            return false;
        }
        freezer.freezeIfAsked();
        think();
        stock.write(itemId, left - 1, seller);
        return true;
    }

    /** The same, with a database that refuses to write for those who have been overtaken. */
    @DistributedLock(name = LOCK_NAME, key = "#itemId")
    public boolean sellFenced(long itemId, String seller) {
        int left = stock.readInTransaction(itemId);
        if (left <= 0) {
            return false;
        }
        freezer.freezeIfAsked();
        think();
        stock.writeInTransaction(itemId, left - 1, seller);
        return true;
    }

    /** The same without the lock: what goes wrong then is on the page. */
    @Transactional
    public boolean sellWithoutLock(long itemId, String seller) {
        int left = stock.read(itemId);
        if (left <= 0) {
            return false;
        }
        think();
        stock.write(itemId, left - 1, seller);
        return true;
    }

    private void think() {
        try {
            Thread.sleep(thinkTime.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted in the middle of a sale", e);
        }
    }
}
