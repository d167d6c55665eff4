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

/** What the README tells to do: processes that are started by their main method. */
class SeveralProcessesTests {

    private static final String NIGHT = "--flash-sale.night=* * * * * *";

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

    /** One test, since each process takes seconds to start: they sell; one resigns, the next is killed; they end together. */
    @Test
    void sellExactlyTheStockWriteTheNightReportInTurnAndEndTogether() throws Exception {
        Process first = shops.start("first", NIGHT);
        String one = shops.address("first");
        Map<String, Process> joined = Map.of(
                "second", shops.start("second", "--join", NIGHT),
                "third", shops.start("third", "--join", NIGHT));
        String two = shops.address("second");
        shops.address("third");

        assertTogetherSellExactlyTheStock(one, two);
        Report resigned = assertTheNextWritesTheReportAfterAResignation(one, two);
        Process leader = joined.get(resigned.instance());
        assertThat(leader).as(resigned.instance()).isNotNull();
        assertThat(leader(one).instance()).endsWith("." + leader.pid());
        leader.destroyForcibly();
        assertThat(reportAfter(one, resigned.term()).instance()).isNotEqualTo(resigned.instance());

        first.destroy();
        await().atMost(ShopProcesses.PATIENCE)
                .until(() -> !first.isAlive() && joined.values().stream().noneMatch(Process::isAlive));
    }

    private void assertTogetherSellExactlyTheStock(String one, String two) throws Exception {
        shops.post(two + "/api/sale/workers?workers=8", 409);
        shops.post(one + "/api/sale?workers=8&lock=true", 200);
        shops.post(two + "/api/sale/workers?workers=8", 200);
        SaleView sale = await().atMost(ShopProcesses.PATIENCE)
                .until(
                        () -> shops.look(two),
                        view -> view.stock() == 0 && view.here().workers() == 0);
        assertThat(sale.sold()).isEqualTo(100);
        assertThat(sale.oversold()).isZero();
        assertThat(sale.lostUpdates()).isZero();
        assertThat(sale.soldBy()).hasSize(2);
    }

    private Report assertTheNextWritesTheReportAfterAResignation(String one, String two) throws Exception {
        Report early = reportAfter(one, 0);
        assertThat(early.instance()).isEqualTo("first");
        assertThat(leader(two).term()).contains(early.term());
        shops.post(two + "/api/report", 409);

        shops.send("DELETE", one + "/actuator/leaders/night-report", 200);
        return reportAfter(one, early.term());
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

    @Test
    void theSecondSaysThatThereIsNoFirst() throws Exception {
        Process second = shops.start("second", "--join");

        await().atMost(ShopProcesses.PATIENCE).until(() -> !second.isAlive());
        assertThat(second.exitValue()).isEqualTo(1);
        assertThat(shops.log("second"))
                .content()
                .startsWith("There is no first instance to join")
                .doesNotContain("\tat ");
    }
}
