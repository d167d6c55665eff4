package io.distlock.benchmarks.report;

import io.distlock.benchmarks.report.Comparison.Kind;
import java.awt.Color;
import java.awt.Dimension;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.labels.StandardCategoryItemLabelGenerator;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.data.category.DefaultCategoryDataset;

/**
 * How many times as fast ours is as another library on each store: one glance.
 *
 * @param peers the other library on each store
 * @param cycles ratio of the throughputs with many threads
 * @param handOvers ratio of the times of a hand-over
 */
record ComparisonPicture(List<String> peers, List<Double> cycles, List<Double> handOvers) {

    private static final Dimension SIZE = new Dimension(860, 360);

    /** Of each store's first other library that also hands locks over. */
    static ComparisonPicture of(List<Comparison> all) {
        ComparisonPicture picture = new ComparisonPicture(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (Comparison ours : all.stream().filter(Comparison::isOurs).toList()) {
            all.stream()
                    .filter(each -> each.server().equals(ours.server()) && !each.isOurs())
                    .filter(each -> !each.who().startsWith("bare "))
                    .filter(each -> each.get(Kind.HAND_OVER).isPresent())
                    .findFirst()
                    .ifPresent(peer -> picture.add(ours, peer));
        }
        return picture;
    }

    private void add(Comparison ours, Comparison peer) {
        Optional<Double> cycle = ratio(ours, peer, Kind.THROUGHPUT);
        Optional<Double> handOver = ratio(peer, ours, Kind.HAND_OVER);
        if (cycle.isPresent() && handOver.isPresent()) {
            peers.add(peer.who());
            cycles.add(rounded(cycle.get()));
            handOvers.add(rounded(handOver.get()));
        }
    }

    private static Optional<Double> ratio(Comparison above, Comparison below, Kind kind) {
        return above.get(kind).flatMap(dividend -> below.get(kind).map(divisor -> dividend / divisor));
    }

    private static double rounded(double ratio) {
        return Math.rint(ratio * 10) / 10;
    }

    void write(Path file) {
        DefaultCategoryDataset bars = new DefaultCategoryDataset();
        for (int at = 0; at < peers.size(); at++) {
            bars.addValue(cycles.get(at), "cycles, 32 threads", peers.get(at));
            bars.addValue(handOvers.get(at), "hand-over to a client that waits", peers.get(at));
        }
        BarRenderer renderer = new BarRenderer();
        renderer.setBarPainter(new StandardBarPainter());
        renderer.setShadowVisible(false);
        renderer.setBase(1);
        renderer.setDefaultItemLabelGenerator(new StandardCategoryItemLabelGenerator());
        renderer.setDefaultItemLabelsVisible(true);
        renderer.setSeriesPaint(0, new Color(0x4C72B0));
        renderer.setSeriesPaint(1, new Color(0xDD8452));
        LogAxis times = new LogAxis("times as fast as …");
        times.setBase(10);
        times.setTickLabelsVisible(false);
        CategoryPlot plot = new CategoryPlot(bars, new CategoryAxis(), times, renderer);
        plot.setBackgroundPaint(Color.WHITE);
        JFreeChart chart = new JFreeChart("", plot);
        chart.setBackgroundPaint(Color.WHITE);
        chart.getLegend().setFrame(BlockBorder.NONE);
        Svg.write(chart, SIZE, file);
    }
}
