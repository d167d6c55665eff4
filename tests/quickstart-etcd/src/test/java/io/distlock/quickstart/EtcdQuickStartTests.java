package io.distlock.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.test.application.BuiltApplication;
import io.distlock.test.application.Page;
import io.distlock.test.etcd.EtcdExtension;
import io.distlock.test.etcd.EtcdServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the documents say, followed to the letter, starts and locks. */
@ExtendWith(EtcdExtension.class)
class EtcdQuickStartTests {

    private final Page readme = Page.read(Path.of("..", "..", "README.md"));

    @Test
    void theClassPathIsThatOfTheDependenciesWhichTheReadmeNames() throws IOException {
        assertThat(readme.text()).contains("replace `lock-redis` with `lock-etcd`");
        assertThat(Page.dependencies(Files.readString(Path.of("pom.xml"))))
                .isEqualTo(Page.dependencies(readme.blocks("xml").get(0).replace("lock-redis", "lock-etcd")));
    }

    @Test
    void theQuickStartOfTheReadmeLocks(EtcdServer server) {
        String service = "@Service\nclass Orders {\n" + readme.blocks("java").get(0) + "}\n";
        String yaml = readme.blocks("yaml").get(1);
        assertThat(yaml).contains("distributed-lock.etcd.endpoints:");
        try (BuiltApplication application =
                BuiltApplication.build(service, "Orders", yaml, Path.of("target", "class-path"))) {
            assertThat(application.run(Map.of(
                            "DISTRIBUTEDLOCK_ETCD_ENDPOINTS", server.uri().toString())))
                    .contains("shipped 42 with token ")
                    .doesNotContain(" ERROR ");
        }
        assertThat(server.probe().keys("lock/orders:42/")).isEmpty();
    }
}
