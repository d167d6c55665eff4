package io.distlock.samples.flashsale;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What Prometheus reads from an application.
 *
 * @param labels those of each metric
 */
record Scrape(Map<String, Set<String>> labels) {

    private static final Pattern SAMPLE = Pattern.compile("(\\w+)(\\{.*})? \\S+");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"(?:[^\"\\\\]|\\\\.)*\"");

    /** These Prometheus adds by itself. */
    private static final Set<String> OF_THE_TARGET = Set.of("job", "instance");

    static Scrape of(String text) {
        Map<String, Set<String>> labels = new HashMap<>();
        text.lines().map(SAMPLE::matcher).filter(Matcher::matches).forEach(sample -> {
            Set<String> known = labels.computeIfAbsent(sample.group(1), metric -> new HashSet<>(OF_THE_TARGET));
            LABEL.matcher(sample.group()).results().forEach(label -> known.add(label.group(1)));
        });
        return new Scrape(labels);
    }

    boolean has(String metric) {
        return labels.containsKey(metric);
    }

    boolean has(String metric, String label) {
        return labels.getOrDefault(metric, Set.of()).contains(label);
    }
}
