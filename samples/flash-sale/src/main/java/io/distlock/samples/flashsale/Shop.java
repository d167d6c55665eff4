package io.distlock.samples.flashsale;

import io.distlock.spring.DistributedLock;
import java.time.Duration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Sells, in the naive way: read the stock, think, write the stock. A transaction does not make that safe: two sellers
 * who read 7 both write 6, and one sale is forgotten. The lock does, over all instances.
 */
@Service
public class Shop {

    static final String LOCK_NAME = "sale";

    private final JdbcClient database;
    private final Duration thinkTime;

    Shop(JdbcClient database, FlashSaleSettings settings) {
        this.database = database;
        this.thinkTime = settings.thinkTime();
    }

    /**
     * Sells one piece while nobody else sells the same item, on this instance or any other.
     *
     * @return whether there was one left
     */
    @DistributedLock(name = LOCK_NAME, key = "#itemId")
    @Transactional
    public boolean sell(long itemId, String seller) {
        return readThinkWrite(itemId, seller);
    }

    /** The same without the lock: what goes wrong then is on the page. */
    @Transactional
    public boolean sellWithoutLock(long itemId, String seller) {
        return readThinkWrite(itemId, seller);
    }

    private boolean readThinkWrite(long itemId, String seller) {
        int stock = database.sql("select stock from item where id = ?")
                .param(itemId)
                .query(Integer.class)
                .single();
        if (stock <= 0) {
            return false;
        }
        think();
        database.sql("update item set stock = ? where id = ?")
                .params(stock - 1, itemId)
                .update();
        database.sql("insert into sold (item_id, seller) values (?, ?)")
                .params(itemId, seller)
                .update();
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
