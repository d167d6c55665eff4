package io.distlock.test.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EtcdServerOptionsTests {

    private static final EtcdServerOptions DEFAULTS = EtcdServerOptions.defaults();

    @Test
    void timingsAreInMilliseconds() {
        EtcdServerOptions options = DEFAULTS.withElection(Duration.ofMillis(20), Duration.ofSeconds(2));

        assertThat(lines(options)).contains("heartbeat-interval: 20", "election-timeout: 2000");
    }

    @Test
    void theQuotaIsInBytes() {
        assertThat(lines(DEFAULTS.withQuota(12_345))).contains("quota-backend-bytes: 12345");
    }

    @Test
    void autoCompactionIsByRevisions() {
        assertThat(lines(DEFAULTS.withAutoCompaction(5)))
                .contains("auto-compaction-mode: revision", "auto-compaction-retention: '5'");
    }

    @Test
    void writesAreSyncedOnlyWhenAskedFor() {
        assertThat(lines(DEFAULTS)).contains("unsafe-no-fsync: true");
        assertThat(lines(DEFAULTS.withSync())).contains("unsafe-no-fsync: false");
    }

    @Test
    void aSettingOfTheUsersReplacesOurs() {
        assertThat(lines(DEFAULTS.withSetting("log-level", "info")))
                .contains("log-level: info")
                .doesNotContain("log-level: error");
    }

    @Test
    void aFolderWithAQuoteInItsNameDoesNoHarm() {
        assertThat(EtcdConfig.lines(DEFAULTS, member(DEFAULTS), List.of(member(DEFAULTS)), Path.of("/it's")))
                .contains("data-dir: '/it''s'");
    }

    @Test
    void aSettingIsOneLine() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DEFAULTS.withSetting("name", "a\ndata-dir: b"))
                .withMessageContaining("is not one line of configuration");
    }

    @Test
    void aPasswordIsNotBlank() {
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULTS.withPassword(" "));
    }

    private static List<String> lines(EtcdServerOptions options) {
        EtcdMember member = member(options);
        return EtcdConfig.lines(options, member, List.of(member), Path.of("data"));
    }

    private static EtcdMember member(EtcdServerOptions options) {
        return new EtcdMember(
                "name", new EtcdEndpoint("127.0.0.1", 1, options.credentials(), options.tls()), 2, Optional.empty());
    }
}
