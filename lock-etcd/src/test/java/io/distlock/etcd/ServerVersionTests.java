package io.distlock.etcd;

import static io.distlock.etcd.EtcdHealth.VersionWarning.mayRevokeLeasesInUse;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerVersionTests {

    @ParameterizedTest
    @ValueSource(strings = {"3.3.27", "3.4.23", "3.4.30", "3.5.0", "3.5.12"})
    void versionsWithTheFaultAreKnown(String version) {
        assertThat(mayRevokeLeasesInUse(EtcdHealth.version(version).orElseThrow()))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.4.31", "3.5.13", "3.5.27", "3.6.0", "3.6.0-rc.1", "4.0.0"})
    void versionsWithoutTheFaultAreNotWarnedOf(String version) {
        assertThat(mayRevokeLeasesInUse(EtcdHealth.version(version).orElseThrow()))
                .isFalse();
    }

    @Test
    void whatIsNoVersionIsLeftAlone() {
        assertThat(EtcdHealth.version("")).isEmpty();
        assertThat(EtcdHealth.version("unknown")).isEmpty();
        assertThat(EtcdHealth.version("3.5")).isEmpty();
    }
}
