package io.distlock.samples.flashsale;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockClient;
import io.distlock.samples.flashsale.Expression.Matcher;
import io.distlock.samples.flashsale.Expression.Selector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard and the alerts ask for what a running application exports, and the documentation explains them. */
@OperatedShop
class DashboardTests {

    private static final Path DOCS = Path.of("..", "..", "docs");
    private static final Pattern LEGEND_LABEL = Pattern.compile("\\{\\{(\\w+)}}");

    private static final Pattern ALERT_LABEL = Pattern.compile("\\$labels\\.(\\w+)");
    private static final Pattern METER_ROW = Pattern.compile("^\\| `(distributed\\.lock\\.[a-z.]+)` \\|");

    private final JsonNode dashboard = JsonMapper.shared().readTree(read("grafana/distlock-dashboard.json"));
    private final String page = read("dashboard.md");
    private final List<String> operating = read("operating.md").lines().toList();

    @Autowired
    RestTestClient http;

    @Autowired
    LockClient client;

    private Scrape scrape;

    @BeforeEach
    void scrape() {
        client.acquire(client.request("orders", "42")).release();
        byte[] body = http.get()
                .uri("/actuator/prometheus")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .returnResult()
                .getResponseBody();
        scrape = Scrape.of(new String(body, UTF_8));
    }

    @Test
    void theDashboardAsksForWhatIsExported() {
        assertThat(onTheDashboard()).hasSizeGreaterThan(20).allSatisfy(this::isAnswered);
    }

    @Test
    void theVariablesOfTheDashboardAreWhatIsExported() {
        List<Expression> variables =
                expressions(dashboard.at("/templating/list").findValues("definition"));
        assertThat(variables)
                .flatExtracting(Expression::resultLabels)
                .containsExactlyInAnyOrder("application", "instance", "lock", "provider");
        assertThat(variables).allSatisfy(this::isAnswered);
    }

    @Test
    void theAlertsAskForWhatIsExported() {
        assertThat(alerts())
                .extracting(alert -> new Expression((String) alert.get("expr")))
                .isNotEmpty()
                .allSatisfy(this::isAnswered);
    }

    private void isAnswered(Expression asked) {
        assertThat(asked.selectors()).as(asked.text()).isNotEmpty().allSatisfy(selector -> {
            assertThat(scrape.has(selector.metric())).as(selector.metric()).isTrue();
            assertThat(selector.matchers())
                    .as(selector.metric())
                    .allMatch(matcher -> scrape.has(selector.metric(), matcher.label()))
                    .allMatch(this::isDocumented);
        });
        assertThat(asked.resultLabels())
                .as(asked.text())
                .allMatch(label -> asked.selectors().stream().anyMatch(from -> scrape.has(from.metric(), label)));
    }

    private boolean isDocumented(Matcher matcher) {
        return !matcher.namesOneValue()
                || operating.stream()
                        .anyMatch(line -> line.startsWith("| `" + matcher.label() + "`")
                                && line.contains("`" + matcher.value() + "`"));
    }

    @Test
    void legendsNameLabelsThatTheResultsHave() {
        assertThat(dashboard.findParents("legendFormat")).isNotEmpty().allSatisfy(target -> {
            Expression asked = new Expression(target.get("expr").asString());
            assertThat(LEGEND_LABEL
                            .matcher(target.get("legendFormat").asString())
                            .results())
                    .allMatch(label -> asked.resultLabels().contains(label.group(1)), asked.text());
        });
    }

    @Test
    void alertsNameLabelsThatTheResultsHave() {
        assertThat(alerts()).isNotEmpty().allSatisfy(alert -> {
            Expression asked = new Expression((String) alert.get("expr"));
            assertThat(ALERT_LABEL.matcher(alert.get("annotations").toString()).results())
                    .isNotEmpty()
                    .allMatch(label -> asked.resultLabels().contains(label.group(1)), asked.text());
        });
    }

    @Test
    void everyDocumentedMeterIsOnTheDashboard() {
        List<String> meters = operating.stream()
                .map(METER_ROW::matcher)
                .filter(java.util.regex.Matcher::find)
                .map(row -> row.group(1).replace('.', '_'))
                .toList();
        assertThat(meters)
                .hasSizeGreaterThan(5)
                .allSatisfy(meter -> assertThat(onTheDashboard())
                        .flatExtracting(Expression::selectors)
                        .extracting(Selector::metric)
                        .anyMatch(metric -> metric.startsWith(meter + "_") || metric.equals(meter)));
    }

    @Test
    void everyPanelIsExplained() {
        Stream<String> titles = dashboard
                .get("panels")
                .valueStream()
                .filter(panel -> !panel.get("type").asString().equals("row"))
                .map(panel -> panel.get("title").asString());
        assertThat(titles).isNotEmpty().allMatch(title -> page.contains("| **" + title + "** |"));
    }

    @Test
    void everyAlertIsExplainedWhereItsRunbookSays() {
        assertThat(alerts()).isNotEmpty().allSatisfy(alert -> {
            String name = (String) alert.get("alert");
            assertThat(page).contains("\n### " + name + "\n");
            assertThat(alert.get("annotations"))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("runbook", "docs/dashboard.md#" + name.toLowerCase(Locale.ROOT))
                    .containsKeys("summary", "action");
        });
    }

    private List<Expression> onTheDashboard() {
        return expressions(dashboard.findValues("expr"));
    }

    private static List<Expression> expressions(List<JsonNode> nodes) {
        return nodes.stream().map(JsonNode::asString).map(Expression::new).toList();
    }

    private static List<Map<String, Object>> alerts() {
        Map<String, List<Map<String, List<Map<String, Object>>>>> file = new Yaml().load(read("grafana/alerts.yml"));
        return file.get("groups").stream()
                .map(group -> group.get("rules"))
                .flatMap(Collection::stream)
                .toList();
    }

    private static String read(String name) {
        try {
            return Files.readString(DOCS.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
