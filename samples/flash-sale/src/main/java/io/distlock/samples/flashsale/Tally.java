package io.distlock.samples.flashsale;

import java.util.Map;

/**
 * What the database says about a sale, over all instances.
 *
 * @param initialStock what there was to sell
 * @param stock what is left, as the stock column has it
 * @param soldBy how many pieces each instance has sold, by the rows of {@code sold}
 */
record Tally(int initialStock, int stock, Map<String, Integer> soldBy) {

    int sold() {
        return soldBy.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Pieces that customers have paid for and that do not exist. */
    int oversold() {
        return Math.max(0, sold() - initialStock);
    }

    /** Sales that the stock column has forgotten, because another wrote over it. */
    int lostUpdates() {
        return sold() - (initialStock - stock);
    }
}
