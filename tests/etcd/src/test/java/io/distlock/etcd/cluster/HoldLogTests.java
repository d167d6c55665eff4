package io.distlock.etcd.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HoldLogTests {

    private final HoldLog log = new HoldLog();

    @Test
    void holdsThatFollowEachOtherAreInOrder() {
        log.add(9, 30, 40);
        log.add(5, 10, 20);
        log.add(7, 20, 30);
        assertThat(log.violations()).isEmpty();
    }

    @Test
    void twoAtTheSameTimeAreFound() {
        log.add(5, 10, 20);
        log.add(7, 19, 30);
        assertThat(log.violations()).hasSize(1);
    }

    @Test
    void aTokenThatIsSmallerThanOneBeforeIsFound() {
        log.add(7, 10, 20);
        log.add(5, 30, 40);
        assertThat(log.violations()).hasSize(1);
    }

    @Test
    void aTokenThatWasGrantedTwiceIsFound() {
        log.add(5, 10, 20);
        log.add(5, 30, 40);
        assertThat(log.violations()).hasSize(1);
    }
}
