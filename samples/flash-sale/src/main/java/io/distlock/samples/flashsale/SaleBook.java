package io.distlock.samples.flashsale;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

/** The sales, as all instances see them. The latest is the one that is on. */
@Repository
class SaleBook {

    private static final String LATEST =
            "select id as item_id, initial_stock, with_lock, fenced from item order by id desc limit 1";

    private final JdbcClient database;
    private final int stock;

    SaleBook(JdbcClient database, FlashSaleSettings settings) {
        this.database = database;
        this.stock = settings.stock();
    }

    @Transactional
    public Sale open(boolean withLock, boolean fenced) {
        database.sql("insert into item (initial_stock, stock, with_lock, fenced) values (?, ?, ?, ?)")
                .params(stock, stock, withLock, fenced)
                .update();
        return database.sql(LATEST).query(Sale.class).single();
    }

    public Optional<Sale> latest() {
        return database.sql(LATEST).query(Sale.class).optional();
    }

    public boolean isLatest(Sale sale) {
        return latest().equals(Optional.of(sale));
    }

    /** Stock and sold rows of one moment: read apart, they would show lost updates that are none. */
    @Transactional(readOnly = true, isolation = Isolation.REPEATABLE_READ)
    public Tally tally(Sale sale) {
        int left = database.sql("select stock from item where id = ?")
                .param(sale.itemId())
                .query(Integer.class)
                .single();
        return new Tally(sale.initialStock(), left, soldBy(sale));
    }

    private Map<String, Integer> soldBy(Sale sale) {
        Map<String, Integer> soldBy = new TreeMap<>();
        database.sql("select seller, count(*) from sold where item_id = ? group by seller")
                .param(sale.itemId())
                .query(row -> {
                    soldBy.put(row.getString(1), row.getInt(2));
                });
        return soldBy;
    }
}
