package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.capacity.Growth.Burst;
import io.distlock.benchmarks.capacity.Growth.Measured;
import io.distlock.benchmarks.capacity.Growth.Point;
import io.distlock.test.page.MeasuredTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tables of {@code docs/capacity.md} and the pictures below them. */
final class CapacityPage {

    private final Path data;
    private final Path pictures;
    private final MeasuredTable table;

    /** The page in a folder. */
    CapacityPage(Path folder) {
        this.data = folder.resolve("capacity.csv");
        this.pictures = folder.resolve("images");
        this.table =
                new MeasuredTable(folder, "capacity", "scripts/capacity --page", lines -> tables(Growth.parse(lines)));
    }

    /** Writes the figures and all that is made of them. Providers that were not measured keep theirs. */
    void write(Growth now) {
        Growth all = Files.exists(data) ? now.and(earlier()) : now;
        table.write(all.lines());
        for (Curve curve : Curve.values()) {
            String name = "capacity-" + curve.name().toLowerCase(Locale.ROOT) + ".svg";
            CapacityPicture.write(curve, all, pictures.resolve(name));
        }
    }

    private Growth earlier() {
        try {
            return Growth.parse(Files.readAllLines(data));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The page as it is. */
    String actual() {
        return table.actual();
    }

    /** The page as it must be by the figures. */
    String expected() {
        return table.expected();
    }

    private static String tables(Growth growth) {
        Stream<String> curves = Arrays.stream(Curve.values()).map(curve -> table(curve, growth));
        return origins(growth)
                + Stream.concat(curves, Stream.of(bursts(growth)))
                        .collect(Collectors.joining("\n"))
                        .stripTrailing();
    }

    private static String origins(Growth growth) {
        return growth.stores().stream()
                .map(each -> "- %s: %s, %s%n".formatted(each.provider(), each.server(), each.origin()))
                .collect(Collectors.joining("", "", "\n"));
    }

    /** Speed at all sizes, and what the largest one costs. */
    private static String table(Curve curve, Growth growth) {
        List<Integer> sizes = growth.stores().stream()
                .flatMap(each -> each.points(curve))
                .map(Point::size)
                .distinct()
                .sorted()
                .toList();
        String rows = sizes.stream()
                .map(size -> row(
                        number(size),
                        growth.stores(),
                        each -> each.points(curve)
                                .filter(point -> point.size() == size)
                                .findFirst()
                                .map(CapacityPage::speed)
                                .orElse("")))
                .collect(Collectors.joining());
        return heading(curve.title(), growth)
                + rows
                + row(
                        "at most: heap, commands, connections, lost",
                        growth.stores(),
                        each -> each.points(curve)
                                .reduce((smaller, larger) -> larger)
                                .map(CapacityPage::cost)
                                .orElse(""));
    }

    private static String bursts(Growth growth) {
        Collection<String> events = growth.stores().stream()
                .flatMap(each -> each.bursts().stream())
                .map(Burst::event)
                .distinct()
                .toList();
        return heading("held through", growth)
                + events.stream()
                        .map(event -> row(
                                event,
                                growth.stores(),
                                each -> each.bursts().stream()
                                        .filter(burst -> burst.event().equals(event))
                                        .findFirst()
                                        .map(burst -> "%s held, **%s** lost, %s ms"
                                                .formatted(number(burst.held()), number(burst.lost()), number((double)
                                                        burst.millisToNewLock())))
                                        .orElse("")))
                        .collect(Collectors.joining());
    }

    private static String heading(String first, Growth growth) {
        return row(first, growth.stores(), Measured::provider) + "|---"
                + "|---".repeat(growth.stores().size()) + "|\n";
    }

    private static String row(String first, List<Measured> stores, Function<Measured, String> cell) {
        return stores.stream().map(cell).collect(Collectors.joining(" | ", "| " + first + " | ", " |\n"));
    }

    private static String speed(Point point) {
        return "%s/s, %s, %s"
                .formatted(number(point.perSecond()), number(point.p50Millis()), number(point.p99Millis()));
    }

    private static String cost(Point point) {
        return "%s MB, %s, %s, %s"
                .formatted(
                        number(point.heapBytes() / 1e6), number(point.commands()), point.connections(), point.lost());
    }

    /** Two digits are enough for whoever compares. */
    private static String number(double value) {
        return String.format(Locale.ROOT, value >= 10 || value == Math.rint(value) ? "%,.0f" : "%.2g", value);
    }
}
