package io.distlock.spring.endpoint;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Some of many.
 *
 * @param total how many there are
 * @param offset how many come before these
 * @param items these
 */
public record Page<T>(int total, int offset, List<T> items) {

    public Page {
        items = List.copyOf(items);
    }

    /** Goes through all and keeps no more of them than up to the end of the page. */
    static <T> Page<T> of(Stream<T> all, Comparator<? super T> order, int offset, int limit) {
        Selection<T> selection = new Selection<>(order, (long) offset + limit);
        all.forEach(selection::add);
        return new Page<>(selection.total, offset, selection.from(offset));
    }

    <R> Page<R> map(Function<T, R> mapper) {
        return new Page<>(total, offset, items.stream().map(mapper).toList());
    }

    private static final class Selection<T> {

        // The last one first, to be thrown out for a better one.
        private final PriorityQueue<T> best;
        private final long most;
        private int total;

        Selection(Comparator<? super T> order, long most) {
            this.best = new PriorityQueue<>(order.reversed());
            this.most = most;
        }

        void add(T item) {
            total++;
            best.add(item);
            if (best.size() > most) {
                best.remove();
            }
        }

        List<T> from(int offset) {
            List<T> page = new ArrayList<>();
            while (best.size() > offset) {
                page.add(best.remove());
            }
            Collections.reverse(page);
            return page;
        }
    }
}
