package io.distlock.samples.flashsale;

import io.distlock.spring.leader.LeaderOnly;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Reports how much was sold, each night, which here is every few seconds. Of all instances, the leader does it. */
@Component
@EnableScheduling
public class NightReport {

    static final String ROLE = "night-report";

    private final Reports reports;

    NightReport(Reports reports) {
        this.reports = reports;
    }

    /** Every instance has this schedule. Where another one leads, nothing runs. */
    @Scheduled(cron = "${flash-sale.night}")
    @LeaderOnly(ROLE)
    public void atNight() {
        reports.write();
    }

    /** Somebody wants to see it now: on an instance that does not lead, that is an error. */
    @LeaderOnly(role = ROLE, otherwise = LeaderOnly.Otherwise.THROW)
    public Report now() {
        return reports.write();
    }
}
