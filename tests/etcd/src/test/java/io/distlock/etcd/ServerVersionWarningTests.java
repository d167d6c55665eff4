package io.distlock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.distlock.support.LockRuntime;
import io.distlock.test.etcd.EtcdExtension;
import java.lang.module.ModuleDescriptor.Version;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

class ServerVersionWarningTests {

    @RegisterExtension
    static final EtcdExtension etcd = EtcdExtension.create();

    private final Logger logger = (Logger) LoggerFactory.getLogger(EtcdHealth.class);
    private final ListAppender<ILoggingEvent> said = new ListAppender<>();
    private final Level level = logger.getLevel();

    @BeforeEach
    void listen() {
        said.start();
        logger.addAppender(said);
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(said);
        logger.setLevel(level);
        logger.setAdditive(true);
    }

    private static List<Version> versions(String... texts) {
        return Stream.of(texts)
                .map(text -> EtcdHealth.version(text).orElseThrow())
                .toList();
    }

    @Test
    void warnsOfOneOldMemberAmongOthers() {
        new EtcdHealth.VersionWarning().lookAt(versions("3.5.13", "3.4.30", "3.6.1"));
        assertThat(said.list).singleElement().satisfies(warning -> {
            assertThat(warning.getLevel()).isEqualTo(Level.WARN);
            assertThat(warning.getFormattedMessage()).contains("etcd 3.4.30", "3.4.31, 3.5.13 or later");
        });
    }

    @Test
    void warnsOnce() {
        EtcdHealth.VersionWarning warning = new EtcdHealth.VersionWarning();
        warning.lookAt(versions("3.5.0"));
        warning.lookAt(versions("3.5.0"));
        assertThat(said.list).hasSize(1);
    }

    @Test
    void saysNothingOfServersThatAreInOrder() {
        new EtcdHealth.VersionWarning().lookAt(versions("3.4.31", "3.5.13", "3.6.0"));
        new EtcdHealth.VersionWarning().lookAt(List.of());
        assertThat(said.list).isEmpty();
    }

    @Test
    void theServerIsAskedForItsVersionAtTheStart() {
        Version version = EtcdHealth.version(etcd.probe().status().version()).orElseThrow();
        try (LockRuntime runtime = LockRuntime.start();
                EtcdConnection connection = LocalEtcd.connection(etcd.server().endpoint());
                EtcdLockProvider provider = new EtcdLockProvider(runtime, connection, LocalEtcd.PATIENT)) {
            LocalEtcd.awaitUp(provider);
            assertThat(TestClient.get(provider.check()).details().get("members"))
                    .asString()
                    .contains(version.toString());
            assertThat(said.list).hasSize(EtcdHealth.VersionWarning.mayRevokeLeasesInUse(version) ? 1 : 0);
        }
    }
}
