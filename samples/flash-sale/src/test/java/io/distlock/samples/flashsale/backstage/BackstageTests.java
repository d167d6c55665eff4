package io.distlock.samples.flashsale.backstage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackstageTests {

    private static final OwnedProcess GONE =
            new OwnedProcess(ProcessHandle.current().pid(), Instant.parse("2020-01-01T00:00:00Z"));

    @TempDir
    Path temporary;

    private Path directory;

    @BeforeEach
    void name() {
        directory = temporary.resolve("shop");
    }

    @Test
    void whoJoinsFindsWhatTheFirstHasOpened() {
        try (Backstage first = Backstage.open(directory);
                Backstage second = Backstage.join(directory)) {
            assertThat(second.settings()).isEqualTo(first.settings());
        }
    }

    @Test
    void whoJoinsFiveRedisServersFindsThemAll() {
        try (Backstage first = Backstage.open(directory, LockStore.REDLOCK, Optional.empty());
                Backstage second = Backstage.join(directory)) {
            assertThat(second.settings()).isEqualTo(first.settings());
            assertThat(second.store()).isEqualTo(LockStore.REDLOCK);
            assertThat(second.settings().get("distributed-lock.redlock.nodes"))
                    .asInstanceOf(InstanceOfAssertFactories.LIST)
                    .hasSize(5)
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void thereIsOnlyOneFirst() {
        try (Backstage first = Backstage.open(directory)) {
            assertThat(first.settings()).isNotEmpty();
            assertThatExceptionOfType(BackstageException.class)
                    .isThrownBy(() -> Backstage.open(directory))
                    .withMessageContaining("running already");
        }
    }

    @Test
    void whoJoinsNobodyIsToldToStartTheFirst() {
        assertThatExceptionOfType(BackstageException.class)
                .isThrownBy(() -> Backstage.join(directory))
                .withMessageContaining("start one without --join");
    }

    @Test
    void aNoteOfAProcessThatIsGoneIsNotBelieved() throws IOException {
        Files.createDirectories(directory);
        new Note(GONE, LockStore.REDIS, List.of(GONE), List.of(6379), "jdbc:h2:mem:").write(directory);

        assertThatExceptionOfType(BackstageException.class)
                .isThrownBy(() -> Backstage.join(directory))
                .withMessageContaining("start one without --join");
    }

    @Test
    void aNoteThatCannotBeReadIsNoNote() throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("first-instance.properties"), "instance.pid=");

        assertThat(Note.read(directory)).isEmpty();
    }

    @Test
    void theRedisOfAFirstInstanceThatWasKilledIsEndedByTheNext() throws IOException {
        Path redisFiles = Files.createDirectories(temporary.resolve("redis"));
        try (LockServer left = RedisServer.start(redisFiles)) {
            Files.createDirectories(directory);
            new Note(
                            GONE,
                            LockStore.REDIS,
                            List.of(OwnedProcess.of(left.process())),
                            List.of(left.port()),
                            "jdbc:h2:mem:")
                    .write(directory);

            try (Backstage next = Backstage.open(directory)) {
                assertThat(next.settings()).doesNotContainEntry("spring.data.redis.port", left.port());
                await().until(() -> !left.process().isAlive());
            }
        }
    }

    @Test
    void closingEndsTheServersAndLeavesNothing() {
        Backstage backstage = Backstage.open(directory);
        int redisPort = (int) backstage.settings().get("spring.data.redis.port");
        assertThat(Ports.answers(redisPort)).isTrue();

        backstage.close();

        assertThat(Ports.answers(redisPort)).isFalse();
        assertThat(directory).doesNotExist();
    }

    @Test
    void whereEtcdIsNotInstalledSaysHowToInstallIt() {
        assertThatExceptionOfType(BackstageException.class)
                .isThrownBy(() -> EtcdServer.start("no-such-etcd", directory))
                .withMessageContaining("apt-get install etcd-server");
    }

    @Test
    void anOptionChoosesTheStore() {
        assertThat(LockStore.askedFor()).isEqualTo(LockStore.REDIS);
        assertThat(LockStore.askedFor("--server.port=0", "--redlock")).isEqualTo(LockStore.REDLOCK);
        assertThat(LockStore.askedFor("--etcd")).isEqualTo(LockStore.ETCD);
        assertThat(LockStore.askedFor("--zookeeper")).isEqualTo(LockStore.ZOOKEEPER);
    }
}
