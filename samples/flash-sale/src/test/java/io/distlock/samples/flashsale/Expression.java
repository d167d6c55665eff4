package io.distlock.samples.flashsale;

import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What an expression for Prometheus asks for.
 *
 * @param text the expression
 */
record Expression(String text) {

    private static final Pattern SELECTOR =
            Pattern.compile("(distributed_(?:lock|leader)_\\w+|\\w+(?=[{\\[]))(\\{[^}]*})?");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"");
    private static final Pattern GROUPING = Pattern.compile("\\bby\\s*\\(([^)]*)\\)");
    private static final Pattern ARGUMENT = Pattern.compile("label_values\\(.*,\\s*(\\w+)\\)");

    private static final Pattern COMMA = Pattern.compile(",");

    /**
     * One metric and what its labels must be.
     *
     * @param metric its name
     * @param matchers by label
     */
    record Selector(String metric, List<Matcher> matchers) {}

    /**
     * What one label must be.
     *
     * @param label its name
     * @param operator one of four
     * @param value a value or a pattern
     */
    record Matcher(String label, String operator, String value) {

        boolean namesOneValue() {
            return operator.equals("=") || operator.equals("!=");
        }
    }

    List<Selector> selectors() {
        return SELECTOR.matcher(text)
                .results()
                .map(found -> new Selector(found.group(1), matchers(found.group())))
                .toList();
    }

    private static List<Matcher> matchers(String selector) {
        return MATCHER.matcher(selector)
                .results()
                .map(found -> new Matcher(found.group(1), found.group(2), found.group(3)))
                .toList();
    }

    /** The labels that its result has, or that are listed by it. */
    Set<String> resultLabels() {
        Stream<String> grouped = GROUPING.matcher(text)
                .results()
                .flatMap(found -> COMMA.splitAsStream(found.group(1)))
                .map(String::strip);
        Stream<String> listed = ARGUMENT.matcher(text).results().map((MatchResult found) -> found.group(1));
        return Stream.concat(grouped, listed).collect(Collectors.toSet());
    }
}
