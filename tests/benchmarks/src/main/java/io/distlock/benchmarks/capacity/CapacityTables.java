package io.distlock.benchmarks.capacity;

import io.distlock.benchmarks.capacity.CostModel.Prediction;
import io.distlock.benchmarks.capacity.Growth.Burst;
import io.distlock.benchmarks.capacity.Growth.Point;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All tables of the page, in Markdown: a column for each provider. Nothing that was not measured has a row. */
final class CapacityTables {

    /** Of the model. */
    private static final double FAR_OFF = 0.2;

    private final Growth growth;

    CapacityTables(Growth growth) {
        this.growth = growth;
    }

    @Override
    public String toString() {
        return Stream.of(
                        Stream.of(origins()),
                        Arrays.stream(Curve.values()).map(this::curve),
                        Stream.of(bursts(), model(), fleet()))
                .flatMap(Function.identity())
                .filter(each -> !each.isEmpty())
                .collect(Collectors.joining("\n"))
                .stripTrailing();
    }

    private String origins() {
        return growth.runs().stream()
                .map(each -> "- %s: %s, %s%n".formatted(each.provider(), each.server(), each.origin()))
                .collect(Collectors.joining());
    }

    private String curve(Curve curve) {
        List<Integer> sizes = growth.providers().stream()
                .flatMap(provider -> growth.points(provider, curve).stream())
                .map(Point::size)
                .distinct()
                .sorted()
                .toList();
        Map<String, Function<String, Optional<String>>> rows = new LinkedHashMap<>();
        sizes.forEach(size -> rows.put(
                Figure.of(size), provider -> growth.cost(provider, curve, size).map(CapacityTables::cell)));
        String picture = "%n![By %s](images/%s)%n".formatted(curve.title(), CapacityPicture.file(curve));
        return table(curve.title(), rows) + (sizes.isEmpty() || !CapacityPicture.CURVES.contains(curve) ? "" : picture);
    }

    private String bursts() {
        Map<String, Function<String, Optional<String>>> rows = new LinkedHashMap<>();
        growth.providers().stream()
                .flatMap(provider -> growth.bursts(provider).stream())
                .map(Burst::event)
                .forEach(event -> rows.put(
                        event,
                        provider -> growth.bursts(provider).stream()
                                .filter(burst -> burst.event().equals(event))
                                .findFirst()
                                .map(burst -> "%s held, **%s** lost, %s ms"
                                        .formatted(Figure.of(burst.held()), Figure.of(burst.lost()), Figure.of((double)
                                                burst.millisToNewLock())))));
        return table("held through", rows);
    }

    private String model() {
        Map<String, List<Prediction>> all = growth.providers().stream()
                .collect(Collectors.toMap(
                        Function.identity(), provider -> new CostModel(growth, provider).predictions()));
        Map<String, Function<String, Optional<String>>> rows = new LinkedHashMap<>();
        growth.providers().stream()
                .flatMap(provider -> all.getOrDefault(provider, List.of()).stream())
                .map(Prediction::what)
                .forEach(what -> rows.put(
                        what,
                        provider -> all.getOrDefault(provider, List.of()).stream()
                                .filter(each -> each.what().equals(what))
                                .findFirst()
                                .map(CapacityTables::cell)));
        if (rows.isEmpty()) {
            return "";
        }
        rows.put("one thread alone, µs", provider -> micros(provider, Scalability::alone));
        rows.put("each further one, µs", provider -> micros(provider, Scalability::shared));
        rows.put(
                "of these by processors, µs",
                provider -> new CostModel(growth, provider).processorMillis().map(millis -> Figure.of(1e3 * millis)));
        rows.put("each to each other one, µs", provider -> micros(provider, Scalability::mutual));
        rows.put("bends at threads", provider -> threads(provider).map(law -> Figure.of(Math.ceil(law.knee()))));
        return table("measured, predicted, error", rows)
                + "%nWithin 20 %%: %s where the model claims to hold, %s elsewhere (*).%n"
                        .formatted(near(all, true), near(all, false));
    }

    private Optional<String> micros(String provider, ToDoubleFunction<Scalability> millis) {
        return threads(provider).map(law -> Figure.of(1e3 * millis.applyAsDouble(law)));
    }

    private Optional<Scalability> threads(String provider) {
        return new CostModel(growth, provider).threads();
    }

    private static String near(Map<String, List<Prediction>> all, boolean claimed) {
        List<Prediction> those = all.values().stream()
                .flatMap(List::stream)
                .filter(each -> each.claimed() == claimed)
                .toList();
        long near =
                those.stream().filter(each -> Math.abs(each.error()) <= FAR_OFF).count();
        return near + " of " + those.size();
    }

    private String fleet() {
        Map<String, Function<String, Optional<String>>> rows = new LinkedHashMap<>();
        new Fleet(growth).needs().forEach((what, need) -> rows.put(what, need));
        return table("a fleet of 1,000 instances, 1,000,000 locks a second", rows);
    }

    private String table(String first, Map<String, Function<String, Optional<String>>> rows) {
        String body = rows.entrySet().stream()
                .filter(row -> growth.providers().stream()
                        .anyMatch(provider -> row.getValue().apply(provider).isPresent()))
                .map(row -> row(
                        row.getKey(), provider -> row.getValue().apply(provider).orElse("")))
                .collect(Collectors.joining());
        return body.isEmpty()
                ? ""
                : row(first, Function.identity()) + "|---"
                        + "|---".repeat(growth.providers().size()) + "|\n" + body;
    }

    private String row(String first, Function<String, String> cell) {
        return growth.providers().stream().map(cell).collect(Collectors.joining(" | ", "| " + first + " | ", " |\n"));
    }

    private static String cell(Cost cost) {
        String processor = Double.isNaN(cost.processor().servers())
                ? ""
                : Figure.of(cost.processor().servers()) + " + "
                        + Figure.of(cost.processor().clients()) + " µs, ";
        return "%s/s, %s, %s<br>%s%s MB, %s, %s%s"
                .formatted(
                        Figure.of(cost.perSecond()),
                        Figure.of(cost.p50Millis()),
                        Figure.of(cost.p99Millis()),
                        processor,
                        Figure.of(cost.heapBytes() / 1e6),
                        Figure.of(cost.commands()),
                        cost.connections(),
                        cost.lost() == 0 ? "" : ", **%d lost**".formatted(cost.lost()));
    }

    private static String cell(Prediction prediction) {
        String error = String.format(Locale.ROOT, "%+.0f %%", 100 * prediction.error());
        return "%s, %s, %s%s"
                .formatted(
                        Figure.of(prediction.measured()),
                        Figure.of(prediction.predicted()),
                        Math.abs(prediction.error()) > FAR_OFF ? "**" + error + "**" : error,
                        prediction.claimed() ? "" : " *");
    }

    /** A number on the page. */
    static final class Figure {

        private Figure() {}

        /** Two digits are enough for whoever compares. */
        static String of(double value) {
            if (!Double.isFinite(value)) {
                return "–";
            }
            return String.format(
                    Locale.ROOT, Math.abs(value) >= 10 || value == Math.rint(value) ? "%,.0f" : "%.2g", value);
        }
    }
}
