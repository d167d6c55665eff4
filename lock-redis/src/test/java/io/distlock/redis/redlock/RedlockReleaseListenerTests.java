package io.distlock.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which announcements of five nodes, or three, wake a waiter. */
class RedlockReleaseListenerTests {

    private static final Duration A_LITTLE_LATER = Duration.ofMillis(20);

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private int woken;

    private RedlockReleaseListener listener(int nodes) {
        var all = new RedlockNodes(List.of(), new Quorum(nodes), new RunIds(), runtime, Duration.ofSeconds(1));
        return new RedlockReleaseListener(all, LockKey.of("job"), () -> woken++);
    }

    @Test
    void theMajoritysAnnouncementOfAReleaseWakesAndTheRestDoNot() {
        RedlockReleaseListener listener = listener(5);
        for (int release = 1; release <= 3; release++) {
            listener.heard(1);
            listener.heard(4);
            assertThat(woken).isEqualTo(release - 1);
            listener.heard(0);
            assertThat(woken).isEqualTo(release);
            listener.heard(3);
            listener.heard(2);
            ticker.advance(Duration.ofSeconds(1));
            assertThat(woken).isEqualTo(release);
        }
    }

    /** Such as the only node that both the holder and the waiter reach. */
    @Test
    void aReleaseThatAMinorityAnnouncesWakesALittleLater() {
        RedlockReleaseListener listener = listener(5);
        listener.heard(3);
        ticker.advance(A_LITTLE_LATER.minusMillis(1));
        assertThat(woken).isZero();
        ticker.advance(Duration.ofMillis(1));
        assertThat(woken).isEqualTo(1);
        listener.heard(2);
        listener.heard(1);
        ticker.advance(A_LITTLE_LATER);
        assertThat(woken).as("perhaps another release").isEqualTo(2);
    }

    /** It announces what may have happened meanwhile, and the others do not. */
    @Test
    void aNodeWhoseConnectionWasInterruptedDoesNotHideTheReleasesOfOthers() {
        RedlockReleaseListener listener = listener(5);
        for (int interruption = 1; interruption <= 3; interruption++) {
            listener.heard(0);
            ticker.advance(A_LITTLE_LATER);
            assertThat(woken).isEqualTo(interruption);
        }
        for (int node = 1; node <= 3; node++) {
            listener.heard(node);
        }
        assertThat(woken).isEqualTo(4);
    }

    /** Each node announces them one after the other, and one may be far behind another. */
    @Test
    void threeReleasesWakeThreeTimesInWhicheverOrderNodesAnnounceThem() {
        for (List<Integer> order : orders(List.of(3, 3, 3))) {
            woken = 0;
            RedlockReleaseListener listener = listener(3);
            List<Integer> heard = new ArrayList<>(List.of(0, 0, 0));
            for (int node : order) {
                listener.heard(node);
                heard.set(node, heard.get(node) + 1);
                assertThat(woken)
                        .as("%s of %s", heard, order)
                        .isEqualTo(heard.stream()
                                .sorted(Comparator.reverseOrder())
                                .toList()
                                .get(1));
            }
            ticker.advance(Duration.ofSeconds(1));
            assertThat(woken).as("%s", order).isEqualTo(3);
        }
    }

    /** All orders of so many announcements of each node. */
    private static List<List<Integer>> orders(List<Integer> left) {
        List<List<Integer>> orders = new ArrayList<>();
        for (int node = 0; node < left.size(); node++) {
            if (left.get(node) > 0) {
                List<Integer> fewer = new ArrayList<>(left);
                fewer.set(node, left.get(node) - 1);
                for (List<Integer> rest : orders(fewer)) {
                    List<Integer> order = new ArrayList<>(List.of(node));
                    order.addAll(rest);
                    orders.add(order);
                }
            }
        }
        return orders.isEmpty() ? List.of(List.of()) : orders;
    }
}
