package io.distlock.etcd.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.distlock.support.LockRuntime;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A password in an endpoint is refused as the application starts, and shown nowhere. */
@ExtendWith(OutputCaptureExtension.class)
class EtcdEndpointPasswordTests {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(EtcdLockAutoConfiguration.class)
    static class Application {

        @Bean
        LockRuntime lockRuntime() {
            return LockRuntime.start();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://root:s3cret@localhost:2379",
                "root:s3cret@localhost:2379",
                "http://root:s3cret^@localhost:2379",
                "http://root:s3cret%@localhost:2379",
                "http://root:#s3cret@localhost:2379"
            })
    void theApplicationDoesNotStartAndDoesNotShowIt(String endpoint, CapturedOutput output) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        assertThatException()
                .isThrownBy(() -> application
                        .run("--distributed-lock.etcd.endpoints=" + endpoint, "--distributed-lock.provider=etcd")
                        .close())
                .withStackTraceContaining("not shown")
                .satisfies(failure -> assertThat(failure).satisfies(EtcdEndpointPasswordTests::showsNoPassword));
        assertThat(output.getAll()).doesNotContain("s3cret");
    }

    private static void showsNoPassword(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            assertThat(each.toString()).doesNotContain("s3cret");
        }
    }
}
