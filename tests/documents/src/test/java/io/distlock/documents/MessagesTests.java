package io.distlock.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.house.MessagePage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A message says what to do, or the page on troubleshooting does. */
class MessagesTests {

    private static final Path ROOT = Path.of("..", "..");
    private static final Path SOURCE = Path.of("src", "main", "java");

    /** Modules without messages for those who run an application. */
    private static final Set<String> WITHOUT =
            Set.of("lock-provider-autoconfigure", "lock-provider-tck", "lock-shedlock", "lock-test");

    /** Classes whose texts are for a server: SQL, and what begins a script. */
    private static final Set<String> FOR_SERVERS = Set.of(
            "H2Locks", "LockRow", "LockSql", "MySqlLocks", "PostgreSqlLocks", "RedisScripts", "ServerIncarnation");

    /** Their problems are printed with the cure that is given beside each. */
    private static final Set<String> WITH_CURES = Set.of(
            "FallbackMethodResolver",
            "JdbcLockFailureAnalyzer",
            "LeaderAttributes",
            "LockAttributes",
            "LockExpressions",
            "LockProviderFailureAnalyzer",
            "LockedBeansValidator",
            "ProxyRules",
            "RedlockNodeSettings",
            "RequireLockValidator",
            "ReturnTypes",
            "ZooKeeperLockFailureAnalyzer");

    /** What meters mean. */
    private static final Set<String> DESCRIPTIONS = Set.of("LeaderMetrics", "LockMetrics");

    static List<String> modules() throws IOException {
        try (Stream<Path> all = Files.list(ROOT)) {
            return all.filter(each -> Files.isDirectory(each.resolve(SOURCE)))
                    .map(each -> String.valueOf(each.getFileName()))
                    .filter(each -> !WITHOUT.contains(each))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("modules")
    void everyMessageSaysWhatToDoOrIsExplained(String module) throws IOException {
        Set<String> without = Stream.of(FOR_SERVERS, WITH_CURES, DESCRIPTIONS)
                .flatMap(Set::stream)
                .collect(Collectors.toUnmodifiableSet());
        assertThat(new MessagePage(ROOT.resolve("docs/troubleshooting.md"))
                        .missing(ROOT.resolve(module).resolve(SOURCE), without))
                .isEmpty();
    }
}
