package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.capacity.Cost.ProcessorMicros;
import io.distlock.benchmarks.capacity.Growth.Measured;
import io.distlock.benchmarks.capacity.Growth.Point;
import java.util.List;

/** Figures that were never measured. */
final class Figures {

    private Figures() {}

    static Measured of(String provider, Point... points) {
        return new Measured(provider, "Server 1", "today, 2 processors", List.of(points), List.of());
    }

    /** All but what matters to a test is the same at each point. */
    static Point point(Curve curve, int size, double perSecond, double serverMicros) {
        return new Point(
                curve,
                size,
                new Cost(perSecond, 0.25, 12.5, 3_000_000, 7, 2, 0, new ProcessorMicros(serverMicros, 40)));
    }

    /** One whose times matter. */
    static Point timed(Curve curve, int size, double p50Millis) {
        return new Point(curve, size, new Cost(1, p50Millis, 100, 3_000_000, 7, 2, 0, new ProcessorMicros(60, 40)));
    }

    /** One whose throughput follows from the mean time of each of so many that work at once. */
    static Point paced(Curve curve, int count, double millis) {
        return point(curve, count, count * 1e3 / millis, 60);
    }
}
