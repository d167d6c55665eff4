package io.distlock.samples.flashsale;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/**
 * What is left of each item. Under a lock, each transaction first shows the lock's token to the fence in this database, for
 * which {@code distributed-lock.jdbc.fencing.enabled} is all it takes. Statements outside transactions are written as they come.
 */
@Repository
class Stock {

    private final JdbcClient database;

    Stock(JdbcClient database) {
        this.database = database;
    }

    @Transactional
    public int readInTransaction(long itemId) {
        return read(itemId);
    }

    @Transactional
    public void writeInTransaction(long itemId, int left, String seller) {
        write(itemId, left, seller);
    }

    public int read(long itemId) {
        return database.sql("select stock from item where id = ?")
                .param(itemId)
                .query(Integer.class)
                .single();
    }

    public void write(long itemId, int left, String seller) {
        database.sql("update item set stock = ? where id = ?")
                .params(left, itemId)
                .update();
        database.sql("insert into sold (item_id, seller) values (?, ?)")
                .params(itemId, seller)
                .update();
    }
}
