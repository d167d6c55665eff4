package io.distlock.zookeeper.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.distlock.LockRequest;
import io.distlock.spring.LockClients;
import io.distlock.test.process.FreePort;
import io.distlock.test.zookeeper.ZooKeeperExtension;
import io.distlock.test.zookeeper.ZooKeeperServerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application that needs a lock to start and cannot have it says why, and what to do. */
@ExtendWith(OutputCaptureExtension.class)
class ZooKeeperLockFailureAnalyzerTests {

    @RegisterExtension
    static final ZooKeeperExtension zooKeeper =
            ZooKeeperExtension.create(ZooKeeperServerOptions.defaults().withLongestSession(Duration.ofSeconds(10)));

    private static String explanation(CapturedOutput output, String connectString, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("--distributed-lock.zookeeper.connect-string=" + connectString);
        all.add("--distributed-lock.zookeeper.connect-timeout=1s");
        assertThat(catchThrowable(() -> new SpringApplicationBuilder(Application.class)
                        .web(WebApplicationType.NONE)
                        .run(all.toArray(String[]::new))
                        .close()))
                .isNotNull();
        String said = output.getAll();
        return said.substring(said.lastIndexOf("APPLICATION FAILED TO START"));
    }

    @Test
    void thatNoServerIsReached(CapturedOutput output) {
        String nowhere = "127.0.0.1:" + FreePort.next();
        assertThat(explanation(output, nowhere))
                .contains("Locks cannot be kept in ZooKeeper: no server of ZooKeeper at " + nowhere)
                .contains("Make sure that a majority of them is running");
    }

    @Test
    void thatTheNodeAboveTheChrootIsMissing(CapturedOutput output) {
        assertThat(explanation(output, zooKeeper.server().connectString() + "/no/such/chroot", "--lease=1s"))
                .contains("Locks cannot be kept in ZooKeeper: the chroot")
                .contains("Create it in ZooKeeper, or correct the property.");
    }

    /** The servers allow less than the application believes. */
    @Test
    void thatSessionsAreTooShortForTheLease(CapturedOutput output) {
        assertThat(explanation(output, zooKeeper.server().connectString(), "--lease=20s"))
                .contains("Locks cannot be kept in ZooKeeper: the servers allow sessions of at most 10000 ms")
                .contains("raise maxSessionTimeout on the servers.");
    }

    @Test
    void thatAConnectStringCannotBeRead(CapturedOutput output) {
        assertThat(explanation(output, "http://zk-1:2181"))
                .contains("distributed-lock.zookeeper.connect-string")
                .contains("http://zk-1:2181");
        assertThat(explanation(output, "zk-1:port"))
                .contains("distributed-lock.zookeeper.connect-string")
                .contains("zk-1:port")
                .contains("host:port");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        ApplicationRunner needsALock(LockClients clients, org.springframework.core.env.Environment environment) {
            return arguments -> {
                Duration lease = environment.getProperty("lease", Duration.class, Duration.ofSeconds(1));
                LockRequest request = clients.primary().request("start").withLeaseTime(lease);
                clients.primary()
                        .acquire(request.withWaitTime(Duration.ofSeconds(3)))
                        .close();
            };
        }
    }
}
