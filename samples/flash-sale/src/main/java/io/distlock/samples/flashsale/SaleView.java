package io.distlock.samples.flashsale;

import io.distlock.LockStatus;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * A sale as JSON.
 *
 * @param number which sale
 * @param withLock how it is sold
 * @param fenced whether the database refuses sellers whose lock is another's by now
 * @param initialStock what there was to sell
 * @param stock what is left, as the stock column has it
 * @param sold how many were sold, over all instances
 * @param oversold how many of those do not exist
 * @param lostUpdates how many sales the stock column has forgotten
 * @param soldBy how many each instance sold
 * @param holder who has the lock at this moment; nobody, too, if Redis does not answer
 * @param here this instance's part
 */
record SaleView(
        long number,
        boolean withLock,
        boolean fenced,
        int initialStock,
        int stock,
        int sold,
        int oversold,
        int lostUpdates,
        Map<String, Integer> soldBy,
        Optional<Holder> holder,
        Here here) {

    static SaleView of(Sale sale, Tally tally, Optional<Holder> holder, Here here) {
        return new SaleView(
                sale.itemId(),
                sale.withLock(),
                sale.fenced(),
                tally.initialStock(),
                tally.stock(),
                tally.sold(),
                tally.oversold(),
                tally.lostUpdates(),
                tally.soldBy(),
                holder,
                here);
    }

    /**
     * The lock's holder, as the store knows it.
     *
     * @param owner the owner value in the store
     * @param token the fencing token
     * @param remainingMillis until the store frees the lock by itself
     * @param here whether it is a worker of this instance
     */
    record Holder(String owner, Optional<Long> token, Optional<Long> remainingMillis, boolean here) {

        static Holder of(LockStatus.Holder holder, boolean here) {
            return new Holder(
                    holder.owner(),
                    holder.token().map(token -> token.value()),
                    holder.remaining().map(Duration::toMillis),
                    here);
        }
    }

    /**
     * This instance's part in the sale.
     *
     * @param instance its name
     * @param workers how many of its workers are still selling
     * @param lock what it has seen of the lock
     * @param trouble what went wrong last, if anything did
     * @param cannotFreeze why it cannot be frozen, if it cannot
     */
    record Here(
            String instance, int workers, LockFigures lock, Optional<String> trouble, Optional<String> cannotFreeze) {}
}
