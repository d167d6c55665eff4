package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
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

    /** By each mode at each place of the queue, wherever the server's counter is: it writes ten characters, the sign included. */
    @Test
    void inEachQueueThoseWhoWaitForNobodyHoldTheLock() {
        int members = 6;
        for (int first : new int[] {0, (1 << 30) - 3, Integer.MAX_VALUE - 2, -1_000_000_002, -3}) {
            for (int modes = 0; modes < (1 << members); modes++) {
                List<String> names = new ArrayList<>();
                for (int place = 0; place < members; place++) {
                    ZooKeeperLayout layout = place % 2 == 0 ? ZooKeeperLayout.MUTEX : ZooKeeperLayout.READ_WRITE;
                    String label = layout.label(mode(modes, place));
                    names.add(String.format(Locale.ENGLISH, "_c_%d-%s%010d", place, label, first + place));
                }
                List<String> shuffled = new ArrayList<>(names);
                Collections.rotate(shuffled, modes);
                List<QueueNode> queue = QueueNode.queue(shuffled);
                assertThat(queue).extracting(QueueNode::name).isEqualTo(names);
                List<QueueNode> free = new ArrayList<>();
                for (int place = 0; place < members; place++) {
                    int ahead = lastAhead(modes, place);
                    QueueNode own = queue.get(place);
                    assertThat(own.predecessor(queue))
                            .as(own.name())
                            .isEqualTo(ahead < 0 ? Optional.empty() : Optional.of(queue.get(ahead)));
                    if (ahead < 0) {
                        free.add(own);
                    }
                }
                assertThat(QueueNode.holders(queue)).isEqualTo(free);
            }
        }
    }

    private static LockMode mode(int modes, int place) {
        return ((modes >> place) & 1) == 0 ? LockMode.EXCLUSIVE : LockMode.SHARED;
    }

    /** The last one ahead with which it cannot hold the lock at the same time, or -1. */
    private static int lastAhead(int modes, int place) {
        for (int each = place - 1; each >= 0; each--) {
            if (mode(modes, each) == LockMode.EXCLUSIVE || mode(modes, place) == LockMode.EXCLUSIVE) {
                return each;
            }
        }
        return -1;
    }

    @Test
    void anIdIsNotTheBeginningOfAnother() {
        assertThat(QueueNode.hasId(READER_8, "b")).isTrue();
        assertThat(QueueNode.hasId("_c_bc-lock-0000000001", "b")).isFalse();
    }

    @Test
    void aNodeOfAnUnknownKindIsExclusive() {
        assertThat(node("unshared-lock-0000000001").mode()).isEqualTo(LockMode.EXCLUSIVE);
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
    void aNodesNameBeginsWithItsIdAndItsKind() {
        assertThat(QueueNode.prefix("b", ZooKeeperLayout.MUTEX, LockMode.SHARED))
                .isEqualTo("_c_b-shared-lock-");
        assertThat(QueueNode.prefix("d", ZooKeeperLayout.READ_WRITE, LockMode.EXCLUSIVE))
                .isEqualTo("_c_d-__WRIT__");
    }

    @Test
    void onlyWhatZooKeeperRejectsIsEncoded() {
        for (int each = '0'; each <= 0xffff; each++) {
            if (!Character.isSurrogate((char) each)) {
                String text = Character.toString(each);
                assertThat(LockPaths.segment(text).equals(text))
                        .as("U+%04X", each)
                        .isEqualTo(isAccepted("/" + text));
            }
        }
    }

    private static boolean isAccepted(String path) {
        try {
            PathUtils.validatePath(path);
            return true;
        } catch (IllegalArgumentException rejected) {
            return false;
        }
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
