package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import java.time.Duration;
import java.util.List;
import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;

class QueueNodeTests {

    private static final String WRITER_7 = "_c_a-lock-0000000007";
    private static final String READER_8 = "_c_b-shared-lock-0000000008";
    private static final String READER_9 = "_c_c-__READ__0000000009";
    private static final String WRITER_10 = "_c_d-__WRIT__0000000010";

    private static QueueNode node(String name) {
        return QueueNode.of(name).orElseThrow();
    }

    private static List<QueueNode> queue(String... names) {
        return QueueNode.queue(List.of(names));
    }

    @Test
    void nodesOfBothLayoutsFormOneQueue() {
        assertThat(queue(WRITER_10, READER_9, WRITER_7, READER_8))
                .extracting(QueueNode::name)
                .containsExactly(WRITER_7, READER_8, READER_9, WRITER_10);
        assertThat(node(READER_9).mode()).isEqualTo(LockMode.SHARED);
        assertThat(node(WRITER_10).mode()).isEqualTo(LockMode.EXCLUSIVE);
    }

    @Test
    void aWriterWaitsForTheOneBeforeItAndAReaderForTheLastWriter() {
        List<QueueNode> all = queue(WRITER_7, READER_8, READER_9, WRITER_10);
        assertThat(node(WRITER_7).predecessor(all)).isEmpty();
        assertThat(node(READER_9).predecessor(all)).contains(node(WRITER_7));
        assertThat(node(WRITER_10).predecessor(all)).contains(node(READER_9));
        assertThat(node(READER_9).predecessor(queue(READER_8, READER_9))).isEmpty();
    }

    @Test
    void readersHoldTogether() {
        assertThat(QueueNode.holders(queue(READER_8, READER_9, WRITER_10))).hasSize(2);
        assertThat(QueueNode.holders(queue(WRITER_7, READER_8))).containsExactly(node(WRITER_7));
    }

    @Test
    void whatHasNoNumberIsNotInTheQueue() {
        assertThat(queue("leases", "locks", "_c_a-lock-123")).isEmpty();
    }

    @Test
    void theNumberWrapsAround() {
        assertThat(queue("_c_a-lock--2147483647", "_c_b-lock-2147483647", "_c_c-lock--2147483648"))
                .extracting(QueueNode::name)
                .containsExactly("_c_b-lock-2147483647", "_c_c-lock--2147483648", "_c_a-lock--2147483647");
    }

    @Test
    void aKeptLockHasThePlaceAndModeOfTheReleasedOneButNotItsId() {
        QueueNode kept = node(node(READER_8).kept(Duration.ofHours(2)));
        assertThat(kept.number()).isEqualTo(8);
        assertThat(kept.mode()).isEqualTo(LockMode.SHARED);
        assertThat(kept.keptFor()).contains(Duration.ofHours(2));
        assertThat(QueueNode.hasId(kept.name(), "b")).isFalse();
        assertThat(QueueNode.hasId(READER_8, "b")).isTrue();
        assertThat(node(READER_8).keptFor()).isEmpty();
    }

    @Test
    void eachKeyHasAPathOfItsOwnThatZooKeeperAccepts() {
        LockPaths paths = new LockPaths("app/locks");
        List<String> all = List.of(
                paths.queue(LockKey.of(".")),
                paths.queue(LockKey.of("..")),
                paths.queue(LockKey.of("...")),
                paths.queue(LockKey.of("%2E")),
                paths.queue(LockKey.of("a", "b")),
                paths.queue(LockKey.of("a/b")),
                paths.queue(LockKey.of("\uD83D\uDE00")),
                paths.queue(LockKey.of("\uE000\uFFF0")),
                paths.queue(LockKey.of("größe")));
        assertThat(all).doesNotHaveDuplicates().allSatisfy(PathUtils::validatePath);
        assertThat(paths.ancestors("/app/locks/a")).containsExactly("/", "/app", "/app/locks", "/app/locks/a");
    }
}
