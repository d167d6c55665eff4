package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.samples.flashsale.ReportController.LeaderView;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The night report of three processes: one resigns, the next is killed, and a third writes it. */
class KilledLeaderTests {

    @TempDir
    Path directory;

    private ShopProcesses shops;

    @BeforeEach
    void prepare() {
        shops = new ShopProcesses(directory);
    }

    @AfterEach
    void end() {
        shops.close();
    }

    @Test
    void anotherInstanceWritesTheReportInALaterTerm() throws Exception {
        shops.start("first", "--flash-sale.night=* * * * * *");
        String first = shops.address("first");
        Map<String, Process> joined = Map.of(
                "second", shops.start("second", "--join", "--flash-sale.night=* * * * * *"),
                "third", shops.start("third", "--join", "--flash-sale.night=* * * * * *"));
        String second = shops.address("second");
        shops.address("third");
        Report early = reportAfter(first, 0);
        assertThat(early.instance()).isEqualTo("first");
        assertThat(leader(second).term()).contains(early.term());
        shops.post(second + "/api/report", 409);

        shops.send("DELETE", first + "/actuator/leaders/night-report", 200);
        Report resigned = reportAfter(first, early.term());
        Process leader = joined.get(resigned.instance());
        assertThat(leader).as(resigned.instance()).isNotNull();
        assertThat(leader(first).instance()).endsWith("." + leader.pid());
        leader.destroyForcibly();

        Report later = reportAfter(first, resigned.term());
        assertThat(later.instance()).isNotEqualTo(resigned.instance());
    }

    private Report reportAfter(String address, long term) {
        return await().atMost(ShopProcesses.PATIENCE)
                .until(
                        () -> shops.get(address + "/api/report", ReportController.View.class)
                                .latest()
                                .filter(report -> report.term() > term),
                        found -> found.isPresent())
                .orElseThrow();
    }

    private LeaderView leader(String address) throws Exception {
        return shops.get(address + "/api/report", ReportController.View.class)
                .leader()
                .orElseThrow();
    }
}
