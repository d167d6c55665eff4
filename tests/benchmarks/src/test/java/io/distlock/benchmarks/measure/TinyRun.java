package io.distlock.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Figure;
import io.distlock.benchmarks.store.Store;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.assertj.core.api.MapAssert;

/** A measurement in its smallest form. */
final class TinyRun {

    private TinyRun() {}

    /** Of its figures by their names. */
    static MapAssert<String, Double> assertFigures(Measurement measurement, Store store) {
        Report report = new Report(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        measurement.run(store, RunSize.TINY, report);
        return assertThat(report.figures().stream().collect(Collectors.toMap(Figure::what, Figure::value)));
    }
}
