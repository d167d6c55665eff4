package io.distlock.benchmarks.etcd;

import static io.distlock.benchmarks.etcd.BareJetcd.await;
import static io.distlock.benchmarks.etcd.BareJetcd.bytes;

import io.distlock.benchmarks.store.Rivals.Rival;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchResponse;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The provider's own transactions on one lock's queue, by the bare driver. What they are is private to the provider, so
 * they are repeated here. Thread-safe.
 */
final class BareQueue {

    private static final String OWNER = "-0123456789abcdef0123456789abcdef-";
    private static final ByteSequence VALUE = bytes("exclusive, process 12345@localhost");
    private static final int RADIX = 36;

    private final BareJetcd jetcd;
    private final String directory;
    private final ByteSequence first;
    private final ByteSequence end;
    private final String occupant;
    private final PutOption onLease;
    private final AtomicLong owners = new AtomicLong();

    BareQueue(BareJetcd jetcd, String name) {
        this.jetcd = jetcd;
        this.directory = "bare/" + name + '/';
        this.first = bytes(directory);
        this.end = bytes("bare/" + name + '0');
        this.occupant = HexFormat.of().toHexDigits(jetcd.lease()) + OWNER;
        this.onLease = PutOption.builder().withLeaseId(jetcd.lease()).build();
    }

    /**
     * A place in the queue.
     *
     * @param ahead whom one has to wait for, if anybody
     */
    record Place(ByteSequence key, long createRevision, Optional<ByteSequence> ahead) {}

    Place enter() {
        String owner = occupant + Long.toString(owners.incrementAndGet(), RADIX);
        ByteSequence key = bytes(directory + owner);
        TxnResponse answer = await(jetcd.kv()
                .txn()
                .If(is(key, 0), is(bytes("bare//" + owner), 0))
                .Then(Op.put(key, VALUE, onLease), Op.get(first, newest(2).build()))
                .Else(Op.get(key, GetOption.DEFAULT))
                .commit());
        return place(key, answer.getHeader().getRevision(), answer);
    }

    Place look(Place own) {
        GetOption before =
                newest(1).withMaxCreateRevision(own.createRevision() - 1).build();
        TxnResponse answer = await(jetcd.kv()
                .txn()
                .If(is(own.key(), own.createRevision()))
                .Then(Op.get(first, before))
                .commit());
        return place(own.key(), own.createRevision(), answer);
    }

    void leave(Place own) {
        TxnResponse answer = await(jetcd.kv()
                .txn()
                .If(is(own.key(), own.createRevision()))
                .Then(Op.delete(own.key(), DeleteOption.DEFAULT))
                .commit());
        if (!answer.isSucceeded()) {
            throw new IllegalStateException(directory + " was not held");
        }
    }

    private static Place place(ByteSequence key, long createRevision, TxnResponse answer) {
        if (!answer.isSucceeded()) {
            throw new IllegalStateException(key + " is not there, or was there before");
        }
        List<KeyValue> newestFirst = answer.getGetResponses().get(0).getKvs();
        Optional<ByteSequence> ahead = newestFirst.stream()
                .filter(each -> each.getCreateRevision() < createRevision)
                .map(KeyValue::getKey)
                .findFirst();
        return new Place(key, createRevision, ahead);
    }

    private GetOption.Builder newest(int limit) {
        return GetOption.builder()
                .withRange(end)
                .withSortField(GetOption.SortTarget.CREATE)
                .withSortOrder(GetOption.SortOrder.DESCEND)
                .withLimit(limit)
                .withKeysOnly(true);
    }

    private static Cmp is(ByteSequence key, long createRevision) {
        return new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(createRevision));
    }

    /**
     * A queue with live watches by the bare driver: enter, watch the one ahead from now on, look again, wait for the watch,
     * look again. Nothing else is watched and nothing can go wrong.
     */
    static final class BareWaiter implements Rival {

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
}
