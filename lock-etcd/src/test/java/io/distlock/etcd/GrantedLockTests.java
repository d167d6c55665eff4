package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class GrantedLockTests {

    /** Others leave it a grace of a second to hear of its loss. */
    @Test
    void aWatchThatBreaksAgainAndAgainBeginsAnewWithinHalfASecond() {
        GrantedLock lock = new GrantedLock(null, 0, Duration.ofHours(1).toNanos());
        for (int turn = 0; turn < 50; turn++) {
            lock.watchAgain(0);
            assertThat(Duration.ofNanos(lock.dueNanos())).isLessThanOrEqualTo(Duration.ofMillis(500));
        }
    }
}
