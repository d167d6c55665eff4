package io.distlock.test.etcd;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a server's page of metrics says, in the text format of Prometheus.
 *
 * @param series each value by its name with its labels, as on the page
 */
record EtcdMetrics(Map<String, Double> series) {

    private static final Pattern LINE = Pattern.compile("([^#\\s].*)\\s(\\S+)");
    private static final Pattern METHOD = Pattern.compile(".*grpc_method=\"(\\w+)\".*");

    static EtcdMetrics parse(String page) {
        return new EtcdMetrics(page.lines()
                .map(LINE::matcher)
                .filter(Matcher::matches)
                .collect(Collectors.toUnmodifiableMap(line -> line.group(1), line -> number(line.group(2)))));
    }

    /** Zero if there is none of that name: servers leave out what they have not counted yet. */
    double value(String name) {
        return series.getOrDefault(name, 0.0);
    }

    EtcdRpcs rpcs() {
        return new EtcdRpcs(
                byMethod("grpc_server_started_total"),
                byMethod("grpc_server_msg_received_total"),
                byMethod("grpc_server_msg_sent_total"));
    }

    private Map<String, Long> byMethod(String name) {
        return series.entrySet().stream()
                .filter(each -> each.getKey().startsWith(name + "{"))
                // Its Watch must not be taken for etcd's.
                .filter(each -> !each.getKey().contains("grpc.health"))
                .collect(Collectors.toMap(
                        each -> method(each.getKey()), each -> each.getValue().longValue(), Long::sum));
    }

    private static String method(String series) {
        Matcher matcher = METHOD.matcher(series);
        if (!matcher.matches()) {
            throw new IllegalStateException("'%s' names no method".formatted(series));
        }
        return matcher.group(1);
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }
}
