package io.distlock.samples.flashsale;

import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/** Where this instance's workers sell: one shift, for the latest sale that it took part in. Thread-safe. */
@Component
final class SalesFloor implements DisposableBean {

    private static final int SECONDS_TO_LEAVE = 5;

    private final Shop shop;
    private final SaleBook book;
    private final LockWatch lockWatch;
    private final String seller;
    private final ExecutorService threads = Executors.newCachedThreadPool(new CustomizableThreadFactory("seller-"));
    private volatile Optional<Shift> shift = Optional.empty();

    SalesFloor(Shop shop, SaleBook book, LockWatch lockWatch, FlashSaleSettings settings) {
        this.shop = shop;
        this.book = book;
        this.lockWatch = lockWatch;
        this.seller = settings.instance();
    }

    /** Adds workers to a sale. Those of an earlier sale stop by themselves. */
    synchronized void join(Sale sale, Workers workers) {
        Shift joined = shift(sale);
        joined.requireRoomFor(workers);
        if (!shift.equals(Optional.of(joined))) {
            lockWatch.follow(sale.lockKey());
            shift = Optional.of(joined);
        }
        for (int added = 0; added < workers.count(); added++) {
            joined.countIn();
            threads.execute(joined::work);
        }
    }

    /** This instance's part in a sale; one that has not begun looks like one in which nothing was done. */
    Shift shift(Sale sale) {
        return shift.filter(current -> current.sale().equals(sale))
                .orElseGet(() -> new Shift(sale, seller, shop, book));
    }

    @Override
    public void destroy() throws InterruptedException {
        threads.shutdownNow();
        threads.awaitTermination(SECONDS_TO_LEAVE, TimeUnit.SECONDS);
    }
}
