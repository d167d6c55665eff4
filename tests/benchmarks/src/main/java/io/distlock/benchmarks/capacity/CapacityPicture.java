package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.report.Svg;
import java.awt.Color;
import java.awt.Dimension;
import java.nio.file.Path;
import java.util.List;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/** A curve: locks granted per second by size, a line for each provider. Both axes are logarithmic. */
final class CapacityPicture {

    /** Those with points enough to be a curve. */
    static final List<Curve> CURVES =
            List.of(Curve.CLIENTS, Curve.PROCESSES, Curve.THREADS, Curve.KEYS, Curve.HELD, Curve.WAITERS);

    private static final Dimension SIZE = new Dimension(720, 360);

    private CapacityPicture() {}

    /** Writes a file, whose name is below, into a folder; none if nothing was measured. */
    static void write(Curve curve, Growth growth, Path folder) {
        XYSeriesCollection lines = new XYSeriesCollection();
        growth.providers().forEach(provider -> {
            XYSeries line = new XYSeries(provider);
            growth.points(provider, curve)
                    .forEach(point -> line.add(point.size(), point.cost().perSecond()));
            if (!line.isEmpty()) {
                lines.addSeries(line);
            }
        });
        if (lines.getSeriesCount() == 0) {
            return;
        }
        XYPlot plot = new XYPlot(lines, axis(curve.title()), axis(curve.rate()), new XYLineAndShapeRenderer());
        plot.setBackgroundPaint(Color.WHITE);
        JFreeChart chart = new JFreeChart("", plot);
        chart.setBackgroundPaint(Color.WHITE);
        Svg.write(chart, SIZE, folder.resolve(file(curve)));
    }

    /** The name of its file. */
    static String file(Curve curve) {
        return "capacity-" + curve.word() + ".svg";
    }

    private static LogAxis axis(String title) {
        LogAxis axis = new LogAxis(title);
        axis.setBase(10);
        return axis;
    }
}
