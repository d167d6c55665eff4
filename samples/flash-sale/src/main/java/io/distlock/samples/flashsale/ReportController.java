package io.distlock.samples.flashsale;

import io.distlock.LockUnavailableException;
import io.distlock.leader.Leader;
import io.distlock.leader.LeaderElection;
import io.distlock.spring.leader.LeaderElections;
import java.time.Instant;
import java.util.Optional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The night report over HTTP. */
@RestController
@RequestMapping("/api/report")
final class ReportController {

    private final NightReport nightReport;
    private final Reports reports;
    private final LeaderElection election;

    ReportController(NightReport nightReport, Reports reports, LeaderElections elections) {
        this.nightReport = nightReport;
        this.reports = reports;
        this.election = elections.get(NightReport.ROLE);
    }

    /** Who writes the report, and the latest one, whoever wrote it. */
    @GetMapping
    View look() {
        return new View(election.isLeader(), leader(), reports.latest());
    }

    /** Writes one now; a conflict unless this instance leads. */
    @PostMapping
    Report write() {
        return nightReport.now();
    }

    /** Nobody, too, if the store does not answer. */
    private Optional<LeaderView> leader() {
        try {
            return election.leader().map(LeaderView::of);
        } catch (LockUnavailableException silent) {
            return Optional.empty();
        }
    }

    /**
     * @param leads whether this instance writes the report
     * @param leader who does
     * @param latest the latest report
     */
    record View(boolean leads, Optional<LeaderView> leader, Optional<Report> latest) {}

    /**
     * @param instance application, host and process id
     * @param term the fencing token of its term
     * @param since when the term began or, on another instance, when that one first saw it
     */
    record LeaderView(String instance, Optional<Long> term, Instant since) {

        static LeaderView of(Leader leader) {
            return new LeaderView(
                    leader.instance().orElse(leader.owner()),
                    leader.token().map(token -> token.value()),
                    leader.since());
        }
    }
}
