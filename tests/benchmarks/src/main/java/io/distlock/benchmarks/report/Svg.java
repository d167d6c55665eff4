package io.distlock.benchmarks.report;

import java.awt.Dimension;
import java.awt.Rectangle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.batik.dom.GenericDOMImplementation;
import org.apache.batik.svggen.SVGGraphics2D;
import org.jfree.chart.JFreeChart;

/** Pictures of pages. */
public final class Svg {

    private static final String NAMESPACE = "http://www.w3.org/2000/svg";

    private Svg() {}

    /** Writes a chart to a file, whose folder is made if it is missing. */
    public static void write(JFreeChart chart, Dimension size, Path file) {
        try {
            Files.createDirectories(file.getParent());
            try (Writer out = Files.newBufferedWriter(file)) {
                SVGGraphics2D drawing = new SVGGraphics2D(
                        GenericDOMImplementation.getDOMImplementation().createDocument(NAMESPACE, "svg", null));
                drawing.setSVGCanvasSize(size);
                chart.draw(drawing, new Rectangle(size));
                drawing.stream(out);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
