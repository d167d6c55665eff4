package io.distlock.etcd.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server that ends watches, or says nothing any more. */
class WatchStreamTests {

    private static final ByteSequence KEY = ByteSequence.from("key", StandardCharsets.UTF_8);
    private static final long SEEN = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final int UNCONFIRMED = 500;

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final ScriptedWatchServer server = new ScriptedWatchServer();
    private final SharedWatches watches = new SharedWatches(server::stub, ByteSequence.EMPTY, runtime, PATIENCE);
    private final AtomicInteger woken = new AtomicInteger();

    @AfterEach
    void close() {
        watches.close();
        runtime.close();
    }

    private WatchedKey watch() {
        return watches.watch(KEY, SEEN, woken::incrementAndGet);
    }

    private WatchedKey confirmed(long number) {
        WatchedKey watched = watch();
        server.last().say(confirmation(number));
        assertThat(watched).isCompleted();
        return watched;
    }

    private static WatchResponse.Builder confirmation(long number) {
        return WatchResponse.newBuilder().setCreated(true).setWatchId(number);
    }

    private static WatchResponse.Builder end(long number) {
        return WatchResponse.newBuilder().setCanceled(true).setWatchId(number).setCancelReason("compacted");
    }

    private static WatchResponse.Builder refusal(String reason) {
        return end(-1).setCreated(true).setCancelReason(reason);
    }

    private static WatchResponse.Builder deletion(long number) {
        return WatchResponse.newBuilder()
                .setWatchId(number)
                .addEvents(Event.newBuilder().setType(Event.EventType.DELETE));
    }

    @Test
    void whoReliesOnAWatchThatTheServerEndsIsWokenAndNobodyElse() {
        WatchedKey other = confirmed(0);
        WatchedKey ended = confirmed(1);
        assertThat(woken).hasValue(0);
        server.last().say(end(1));
        assertThat(woken).hasValue(1);
        assertThat(ended.isLive()).isFalse();
        assertThat(other.isLive()).isTrue();
        // What comes for it later concerns nobody; what comes for the other does.
        server.last().say(deletion(1));
        assertThat(woken).hasValue(1);
        server.last().say(deletion(0));
        assertThat(woken).hasValue(2);
        assertThat(server.streams()).hasSize(1);
    }

    @Test
    void aWatchIsNotReliedOnBeforeTheServerHasConfirmedIt() {
        WatchedKey watched = watch();
        assertThat(watched.isLive()).isFalse();
        server.last().say(confirmation(0));
        assertThat(watched.isLive()).isTrue();
        server.last().say(end(0));
        assertThat(watched.isLive()).isFalse();
    }

    @Test
    void oneWhoHasSeenWhatWasThereBeforeItStoodNeedNotLookAgain() {
        assertThat(standingSince(SEEN - 1)).isCompletedWithValue(true);
        assertThat(standingSince(SEEN)).isCompletedWithValue(true);
        assertThat(standingSince(SEEN + 1)).isCompletedWithValue(false);
        // A proxy may not say since when.
        assertThat(standingSince(0)).isCompletedWithValue(false);
    }

    private WatchedKey standingSince(long revision) {
        WatchedKey watched = watch();
        server.last()
                .say(confirmation(revision)
                        .setHeader(ResponseHeader.newBuilder().setRevision(revision)));
        return watched;
    }

    @Test
    void anEventWakesExactlyWhoWatchesThatKeyNow() {
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        WatchedKey gone = watches.watch(KEY, SEEN, first::incrementAndGet);
        watches.watch(KEY, SEEN, second::incrementAndGet);
        // The numbers are the server's to choose.
        server.last().say(confirmation(7));
        server.last().say(confirmation(3));
        server.last().say(deletion(3));
        assertThat(first).hasValue(0);
        assertThat(second).hasValue(1);
        gone.close();
        assertThat(server.last().asked)
                .last()
                .satisfies(asked ->
                        assertThat(asked.getCancelRequest().getWatchId()).isEqualTo(7));
        server.last().say(deletion(7));
        assertThat(first).hasValue(0);
        server.last().say(deletion(3));
        assertThat(second).hasValue(2);
    }

    @Test
    void oneThatIsEndedBeforeItIsConfirmedIsEndedThenAndTakesNoOthersPlace() {
        WatchedKey ended = watch();
        WatchedKey next = watch();
        ended.close();
        server.last().say(confirmation(0));
        assertThat(ended).isNotDone();
        assertThat(next).isNotDone();
        assertThat(server.last().asked).last().satisfies(asked -> {
            assertThat(asked.hasCancelRequest()).isTrue();
            assertThat(asked.getCancelRequest().getWatchId()).isZero();
        });
        server.last().say(confirmation(1));
        assertThat(next).isCompleted();
        server.last().say(deletion(1));
        assertThat(woken).hasValue(1);
    }

    @Test
    void aStreamThatBreaksWakesAllWhoRelyOnIt() {
        WatchedKey one = confirmed(0);
        WatchedKey other = confirmed(1);
        WatchedKey pending = watch();
        server.last().breaks();
        assertThat(woken).hasValue(2);
        assertThat(one.isLive() || other.isLive() || pending.isLive()).isFalse();
        assertThat(pending).isCompletedExceptionally();
        confirmed(0);
        assertThat(server.streams()).hasSize(2);
    }

    /** Else the requests of thousands, after a stream has broken, would go before the calls that keep their locks. */
    @Test
    void ofManyAFewHundredAreAskedForAtATime() {
        List<WatchedKey> all =
                Stream.generate(this::watch).limit(2 * UNCONFIRMED + 1).toList();
        assertThat(server.last().asked).hasSize(UNCONFIRMED);
        server.confirmAll();
        assertThat(all).allMatch(WatchedKey::isLive);
        assertThat(server.last().asked).hasSize(all.size());
    }

    @Test
    void oneThatIsEndedBeforeItIsAskedForIsNeverAskedFor() {
        List<WatchedKey> all =
                Stream.generate(this::watch).limit(UNCONFIRMED + 2).toList();
        all.get(UNCONFIRMED).close();
        server.confirmAll();
        assertThat(server.last().asked).hasSize(UNCONFIRMED + 1);
        assertThat(all.get(UNCONFIRMED + 1).isLive()).isTrue();
    }

    /** A stream that breaks at once would otherwise be opened again and again, by each of thousands. */
    @Test
    void afterAStreamOnWhichTheServerSaidNothingTheNextOneIsOpenedAfterAPause() {
        watch();
        server.last().breaks();
        WatchedKey next = watch();
        assertThat(server.streams()).hasSize(1);
        assertThat(next).isNotDone();
        ticker.advance(Duration.ofMillis(250));
        assertThat(server.streams()).hasSize(2);
        server.last().say(confirmation(0));
        assertThat(next.isLive()).isTrue();
    }

    @Test
    void aWatchBeginsNowAndTellsOfDeletionsOnly() {
        watch();
        assertThat(server.last().asked).singleElement().satisfies(asked -> {
            assertThat(asked.getCreateRequest().getStartRevision()).isZero();
            assertThat(asked.getCreateRequest().getFiltersList()).containsExactly(WatchCreateRequest.FilterType.NOPUT);
        });
    }

    @Test
    void aWatchThatTheServerRefusesNeverStandsAndThoseAfterItDo() {
        WatchedKey refused = watch();
        WatchedKey next = watch();
        server.last().say(refusal("etcdserver: permission denied"));
        assertThat(refused).isCompletedExceptionally();
        assertThat(refused.handle((done, failure) -> failure.getMessage()))
                .isCompletedWithValue("the watch has broken: etcdserver: permission denied");
        assertThat(refused.isLive()).isFalse();
        server.last().say(confirmation(0));
        assertThat(next).isCompleted();
        // Whoever waits for it to stand was told by that.
        assertThat(woken).hasValue(0);
    }

    /** A stream keeps its token, so all that follow would be refused as well. */
    @Test
    void aStreamWhoseTokenHasExpiredGivesWayToAnotherAfterAPause() {
        WatchedKey standing = confirmed(0);
        ScriptedWatchServer.Stream expired = server.last();
        List<WatchedKey> refused = List.of(watch(), watch());
        refused.forEach(each -> expired.say(refusal("etcdserver: invalid auth token")));
        assertThat(expired.left).isTrue();
        assertThat(refused).allMatch(WatchedKey::isCompletedExceptionally);
        assertThat(standing.isLive()).isFalse();
        WatchedKey next = watch();
        assertThat(server.streams()).hasSize(1);
        ticker.advance(Duration.ofMillis(250));
        server.last().say(confirmation(0));
        assertThat(next.isLive()).isTrue();
    }

    @Test
    void aServerThatSaysNothingIsAskedAndThenLeft() {
        WatchedKey watched = confirmed(0);
        ScriptedWatchServer.Stream silent = server.last();
        ticker.advance(PATIENCE);
        assertThat(silent.asked)
                .last()
                .satisfies(asked -> assertThat(asked.hasProgressRequest()).isTrue());
        // It has as long as for any call, which is twice the patience.
        ticker.advance(PATIENCE.multipliedBy(2).minusMillis(1));
        assertThat(watched.isLive()).isTrue();
        ticker.advance(Duration.ofMillis(1));
        assertThat(silent.left).isTrue();
        assertThat(watched.isLive()).isFalse();
        assertThat(woken).hasValue(1);
        confirmed(0);
        assertThat(server.streams()).hasSize(2);
    }

    @Test
    void aServerThatGivesASignOfLifeIsKept() {
        WatchedKey watched = confirmed(0);
        for (int round = 0; round < 5; round++) {
            ticker.advance(PATIENCE);
            assertThat(server.last().asked)
                    .last()
                    .satisfies(asked -> assertThat(asked.hasProgressRequest()).isTrue());
            // The answer belongs to no watch.
            server.last().say(WatchResponse.newBuilder().setWatchId(-1));
        }
        assertThat(server.last().asked).hasSize(1 + 5);
        assertThat(server.last().left).isFalse();
        assertThat(watched.isLive()).isTrue();
        assertThat(woken).hasValue(0);
        assertThat(server.streams()).hasSize(1);
    }
}
