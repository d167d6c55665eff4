package io.distlock.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.test.application.BuiltApplication;
import io.distlock.test.application.Page;
import io.distlock.test.redis.RedisExtension;
import io.distlock.test.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the documents say, followed to the letter, starts and locks. */
@ExtendWith(RedisExtension.class)
class RedisQuickStartTests {

    private static final Path ROOT = Path.of("..", "..");
    private static final Path CLASS_PATH = Path.of("target", "class-path");

    private final Page readme = Page.read(ROOT.resolve("README.md"));
    private final Page gettingStarted = Page.read(ROOT.resolve("docs").resolve("getting-started.md"));

    @Test
    void theClassPathIsThatOfTheDependenciesWhichTheDocumentsName() throws IOException {
        assertThat(Page.dependencies(Files.readString(Path.of("pom.xml"))))
                .isEqualTo(Page.dependencies(readme.blocks("xml").get(0)))
                .isEqualTo(Page.dependencies(gettingStarted.blocks("xml").get(0)));
    }

    @Test
    void theQuickStartOfTheReadmeLocks(RedisServer server) {
        String method = readme.blocks("java").get(0);
        assertLocks(
                "@Service\nclass Orders {\n" + method + "}\n",
                "Orders",
                readme.blocks("yaml").get(0),
                server);
    }

    @Test
    void gettingStartedLocks(RedisServer server) {
        assertLocks(
                gettingStarted.blocks("java").get(0),
                "OrderService",
                gettingStarted.blocks("yaml").get(0),
                server);
    }

    private static void assertLocks(String service, String name, String yaml, RedisServer server) {
        // A machine that is busy with other tests may take longer to connect than the default allows.
        Map<String, String> address = Map.of(
                "SPRING_DATA_REDIS_HOST",
                server.host(),
                "SPRING_DATA_REDIS_PORT",
                "" + server.port(),
                "DISTRIBUTEDLOCK_REDIS_CONNECTTIMEOUT",
                "30s");
        try (BuiltApplication application = BuiltApplication.build(service, name, yaml, CLASS_PATH)) {
            assertThat(application.run(address))
                    .contains("shipped 42 with token ")
                    .doesNotContain(" WARN ", " ERROR ");
        }
        assertThat(server.probe().keys()).singleElement().asString().startsWith("lock:fence:");
    }
}
