package io.distlock.benchmarks.capacity;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.MatrixUtils;
import org.apache.commons.math3.linear.QRDecomposition;

/**
 * A sum of terms that explains some figures best: the squares of its <em>relative</em> errors have the least sum, so that a large
 * figure counts as much as a small one.
 */
final class LeastSquares {

    private LeastSquares() {}

    /**
     * What each term costs: not less than nothing. Later terms are left out (zero) if there are too few figures, or if the best
     * sum had a negative one.
     *
     * @param terms of the figure with this index
     */
    static double[] prices(List<Double> figures, IntFunction<double[]> terms) {
        for (int count = Math.min(figures.size(), terms.apply(0).length); count > 1; count--) {
            double[] prices = best(figures, terms, count);
            if (Arrays.stream(prices).allMatch(price -> price >= 0)) {
                return prices;
            }
        }
        return best(figures, terms, 1);
    }

    private static double[] best(List<Double> figures, IntFunction<double[]> terms, int count) {
        double[][] rows = new double[figures.size()][count];
        for (int figure = 0; figure < rows.length; figure++) {
            double[] all = terms.apply(figure);
            for (int term = 0; term < count; term++) {
                rows[figure][term] = all[term] / figures.get(figure);
            }
        }
        double[] solved = new QRDecomposition(MatrixUtils.createRealMatrix(rows))
                .getSolver()
                .solve(new ArrayRealVector(rows.length, 1))
                .toArray();
        return Arrays.copyOf(solved, terms.apply(0).length);
    }
}
