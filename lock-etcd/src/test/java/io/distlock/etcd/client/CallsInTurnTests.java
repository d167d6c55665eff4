package io.distlock.etcd.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.etcd.client.ClientInterceptors.ChannelCapture;
import io.distlock.support.LockRuntime;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.kv.TxnResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** More calls at once than a server answers in time: those under way are answered, and the others wait. No server is needed. */
class CallsInTurnTests {

    private static final int UNDER_WAY = 128;
    private static final Duration LIMIT = Duration.ofSeconds(1);

    private final ManualTicker ticker = new ManualTicker();
    private final LockRuntime runtime = ManualScheduler.runtime(ticker);
    private final Client client = Client.builder()
            .endpoints("http://localhost:1")
            .waitForReady(false)
            .retryMaxAttempts(1)
            .build();
    private final EtcdCalls calls =
            new EtcdCalls(client, new ChannelCapture(LIMIT), ByteSequence.EMPTY, runtime.timeouts(), LIMIT, 2);
    private final List<CompletableFuture<TxnResponse>> sent = new ArrayList<>();

    @AfterEach
    void close() {
        client.close();
        runtime.close();
    }

    private CompletableFuture<TxnResponse> unanswered(KV ignored) {
        CompletableFuture<TxnResponse> answer = new CompletableFuture<>();
        sent.add(answer);
        return answer;
    }

    private List<CompletableFuture<TxnResponse>> transact(int count) {
        return Stream.generate(() -> calls.transact(this::unanswered))
                .limit(count)
                .toList();
    }

    @Test
    void eachAnswerLetsTheNextOneIn() {
        var all = transact(2 * UNDER_WAY);
        assertThat(sent).hasSize(UNDER_WAY);
        sent.get(7).complete(null);
        assertThat(all.get(7)).isCompleted();
        assertThat(sent).hasSize(UNDER_WAY + 1);
        sent.get(8).completeExceptionally(new IllegalStateException("fails on purpose"));
        assertThat(all.get(8)).isCompletedExceptionally();
        assertThat(sent).hasSize(UNDER_WAY + 2);
    }

    @Test
    void aCallThatCannotEvenBeMadeGivesItsTurnBack() {
        for (int call = 0; call < UNDER_WAY; call++) {
            var failed = calls.transact(kv -> {
                throw new NoClassDefFoundError("fails on purpose");
            });
            assertThat(failed).isCompletedExceptionally();
        }
        transact(1);
        assertThat(sent).hasSize(1);
    }

    @Test
    void aReleaseGoesBeforeAllOthersThatWait() {
        transact(2 * UNDER_WAY);
        List<CompletableFuture<TxnResponse>> releases = new ArrayList<>();
        for (int number = 0; number < 2; number++) {
            CompletableFuture<TxnResponse> sentRelease = new CompletableFuture<>();
            calls.leave(kv -> {
                releases.add(sentRelease);
                return sentRelease;
            });
        }
        assertThat(releases).isEmpty();
        sent.get(0).complete(null);
        sent.get(1).complete(null);
        assertThat(releases).hasSize(2);
        assertThat(sent).hasSize(UNDER_WAY);
        releases.get(0).complete(null);
        assertThat(sent).hasSize(UNDER_WAY + 1);
    }

    @Test
    void aKeepaliveDoesNotWait() {
        transact(2 * UNDER_WAY);
        // There is no server, and a call that has its turn learns that at once.
        CompletableFuture<?> keepalive = calls.keepAlive(1, LIMIT);
        await().atMost(Duration.ofSeconds(30)).until(keepalive::isCompletedExceptionally);
    }

    /** It would be answered too late, and be repeated. */
    @Test
    void theLimitOfOneBeginsWithItsTurn() {
        transact(UNDER_WAY);
        ticker.advance(LIMIT.dividedBy(2));
        CompletableFuture<TxnResponse> next = calls.transact(this::unanswered);
        ticker.advance(LIMIT.dividedBy(2));
        assertThat(sent).hasSize(UNDER_WAY + 1);
        ticker.advance(LIMIT.minusMillis(1));
        assertThat(next).isNotDone();
        sent.get(UNDER_WAY).complete(null);
        assertThat(next).isCompleted();
    }

    @Test
    void oneThatHasNoTurnInTimeIsNeverSent() {
        // Each takes a quarter longer than its limit, since it asks a second member then.
        var slow = Stream.generate(() -> calls.read(this::unanswered))
                .limit(UNDER_WAY)
                .toList();
        assertThat(slow).noneMatch(CompletableFuture::isDone);
        CompletableFuture<TxnResponse> late = calls.transact(this::unanswered);
        ticker.advance(LIMIT.dividedBy(4));
        assertThat(sent).hasSize(2 * UNDER_WAY);
        ticker.advance(LIMIT.multipliedBy(3).dividedBy(4));
        assertThat(late).isCompletedExceptionally();
        assertThat(late.handle(
                        (answer, failure) -> EtcdCallException.of("it", failure).mayBeApplied()))
                .isCompletedWithValue(false);
        ticker.advance(LIMIT);
        assertThat(sent).hasSize(2 * UNDER_WAY);
    }

    @Test
    void callsThatFailAtOnceDoNotNest() {
        var first = transact(UNDER_WAY);
        var others = Stream.generate(() -> calls.transact(kv -> {
                    throw new IllegalStateException("fails on purpose");
                }))
                .limit(50_000)
                .toList();
        sent.forEach(each -> each.complete(null));
        assertThat(first).allMatch(CompletableFuture::isDone);
        assertThat(others).allMatch(CompletableFuture::isCompletedExceptionally);
    }
}
