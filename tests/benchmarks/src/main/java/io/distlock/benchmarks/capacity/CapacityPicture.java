package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.report.Svg;
import java.awt.Color;
import java.awt.Dimension;
import java.nio.file.Path;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/** A curve: locks granted per second by size, a line for each provider. Both axes are logarithmic. */
final class CapacityPicture {

    private static final Dimension SIZE = new Dimension(720, 360);

    private CapacityPicture() {}

    static void write(Curve curve, Growth growth, Path file) {
        XYSeriesCollection lines = new XYSeriesCollection();
        growth.stores().forEach(store -> {
            XYSeries line = new XYSeries(store.provider());
            store.points(curve).forEach(point -> line.add(point.size(), point.perSecond()));
            if (!line.isEmpty()) {
                lines.addSeries(line);
            }
        });
        XYPlot plot =
                new XYPlot(lines, axis(curve.title()), axis("locks granted per second"), new XYLineAndShapeRenderer());
        plot.setBackgroundPaint(Color.WHITE);
        JFreeChart chart = new JFreeChart("", plot);
        chart.setBackgroundPaint(Color.WHITE);
        Svg.write(chart, SIZE, file);
    }

    private static LogAxis axis(String title) {
        LogAxis axis = new LogAxis(title);
        axis.setBase(10);
        return axis;
    }
}
