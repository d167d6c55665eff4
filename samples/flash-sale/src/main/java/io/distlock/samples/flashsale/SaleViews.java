package io.distlock.samples.flashsale;

import io.distlock.LockClient;
import io.distlock.LockStatus;
import io.distlock.LockUnavailableException;
import io.distlock.samples.flashsale.SaleView.Here;
import io.distlock.samples.flashsale.SaleView.Holder;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Looks at a sale: the database for what was sold, the lock store for who is selling, this instance for the rest. */
@Component
final class SaleViews {

    private final SaleBook book;
    private final SalesFloor floor;
    private final LockWatch lockWatch;
    private final LockClient locks;
    private final String instance;
    private final Optional<String> cannotFreeze;

    SaleViews(
            SaleBook book,
            SalesFloor floor,
            LockWatch lockWatch,
            LockClient locks,
            Freezer freezer,
            FlashSaleSettings settings) {
        this.book = book;
        this.floor = floor;
        this.lockWatch = lockWatch;
        this.locks = locks;
        this.instance = settings.instance();
        this.cannotFreeze = freezer.obstacle();
    }

    /** Without Redis, the rest can still be seen; who has the lock is then unknown, and said to be. */
    SaleView view(Sale sale) {
        Shift shift = floor.shift(sale);
        LockRecord record = lockWatch.record(sale.lockKey());
        try {
            return view(sale, shift, record, holder(sale, record), shift.trouble());
        } catch (LockUnavailableException e) {
            return view(
                    sale,
                    shift,
                    record,
                    Optional.empty(),
                    Optional.of("who has the lock is unknown: " + e.getMessage()));
        }
    }

    private SaleView view(
            Sale sale, Shift shift, LockRecord record, Optional<Holder> holder, Optional<String> trouble) {
        Here here = new Here(instance, shift.atWork(), record.figures(), trouble, cannotFreeze);
        return SaleView.of(sale, book.tally(sale), holder, here);
    }

    private Optional<Holder> holder(Sale sale, LockRecord record) {
        List<LockStatus.Holder> holders =
                locks.inspect(sale.lockKey()).map(LockStatus::holders).orElse(List.of());
        return holders.stream()
                .findFirst()
                .map(holder ->
                        Holder.of(holder, holder.token().filter(record::isOurs).isPresent()));
    }
}
