package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.distlock.leader.LeaderElection;
import io.distlock.spring.leader.LeaderElections;
import io.distlock.spring.leader.NotLeaderException;
import io.distlock.test.spring.InMemoryLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** Who writes the night report, tested without a store for its lock. No night falls here. */
@SpringBootTest(
        webEnvironment = WebEnvironment.NONE,
        properties = {"flash-sale.night=-", "distributed-lock.leader.roles.night-report.auto-start=false"})
@InMemoryLocks
class NightReportTests {

    @Autowired
    NightReport nightReport;

    @Autowired
    Reports reports;

    private LeaderElection election;

    @Autowired
    void elections(LeaderElections all) {
        election = all.get(NightReport.ROLE);
    }

    @AfterEach
    void withdraw() {
        election.withdraw().toCompletableFuture().join();
    }

    @Test
    void theLeaderWritesItInItsTerm() {
        election.stand();
        await().until(election::isLeader);

        nightReport.atNight();

        long term = election.term().orElseThrow().token().value();
        assertThat(reports.latest()).hasValueSatisfying(latest -> {
            assertThat(latest.term()).isEqualTo(term);
            assertThat(latest.sold()).isZero();
        });
        assertThat(nightReport.now().number())
                .isEqualTo(reports.latest().orElseThrow().number());
    }

    @Test
    void nobodyElseDoes() {
        long before = reports.latest().map(Report::number).orElse(0L);

        nightReport.atNight();

        assertThatExceptionOfType(NotLeaderException.class).isThrownBy(nightReport::now);
        assertThat(reports.latest().map(Report::number).orElse(0L)).isEqualTo(before);
    }
}
