package io.distlock.benchmarks.etcd;

import static io.distlock.benchmarks.etcd.BareJetcd.await;

import io.distlock.benchmarks.store.Rival;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchResponse;
import java.util.concurrent.CompletableFuture;

/**
 * A queue with live watches by the bare driver: enter, watch the one ahead from now on, look again, wait for the watch,
 * look again. Nothing else is watched and nothing can go wrong.
 */
final class BareWaiter implements Rival {

    private static final WatchOption DELETIONS =
            WatchOption.builder().withNoPut(true).withCreateNotify(true).build();

    private final BareJetcd jetcd;
    private final BareQueue queue;

    BareWaiter(BareJetcd jetcd) {
        this.jetcd = jetcd;
        this.queue = new BareQueue(jetcd, "rivals");
    }

    @Override
    public Runnable take() {
        BareQueue.Place place = queue.enter();
        while (place.ahead().isPresent()) {
            place = lookOnce(place, place.ahead().get());
        }
        BareQueue.Place held = place;
        return () -> queue.leave(held);
    }

    private BareQueue.Place lookOnce(BareQueue.Place place, ByteSequence ahead) {
        Deletion deletion = new Deletion();
        Watch.Watcher watcher = jetcd.watches().watch(ahead, DELETIONS, deletion);
        try {
            await(deletion.standing);
            BareQueue.Place again = queue.look(place);
            if (again.ahead().filter(ahead::equals).isEmpty()) {
                return again;
            }
            await(deletion.seen);
            return queue.look(place);
        } finally {
            watcher.close();
        }
    }

    @Override
    public void close() {
        jetcd.close();
    }

    private static final class Deletion implements Watch.Listener {

        private final CompletableFuture<Boolean> standing = new CompletableFuture<>();
        private final CompletableFuture<Boolean> seen = new CompletableFuture<>();

        @Override
        public void onNext(WatchResponse response) {
            if (response.isCreatedNotify()) {
                standing.complete(true);
            }
            if (!response.getEvents().isEmpty()) {
                seen.complete(true);
            }
        }

        @Override
        public void onError(Throwable failure) {
            standing.completeExceptionally(failure);
            seen.completeExceptionally(failure);
        }

        @Override
        public void onCompleted() {}
    }
}
