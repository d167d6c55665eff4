package io.distlock.etcd;

import io.distlock.LockMode;
import io.distlock.Release;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The transactions on a lock's queue, each one round trip. The order of the queue is that of the keys' create revisions,
 * which etcd hands out and never repeats. Thread-safe.
 */
final class QueueCalls {

    private static final Place.Ahead NOBODY = new Place.Ahead.Nobody();
    private static final Place.Ahead UNKNOWN = new Place.Ahead.Unknown();
    private static final Place.Finding GONE = new Place.Gone();

    private final EtcdCalls calls;
    private final HolderNote note;

    QueueCalls(EtcdCalls calls, HolderNote note) {
        this.calls = calls;
        this.note = note;
    }

    /** Takes a place at the end of the queue, unless it was taken before, and looks who is ahead. */
    CompletableFuture<Place.Finding> enter(Place place) {
        ByteSequence value = note.of(place.request());
        Op put = Op.put(
                place.key(),
                value,
                PutOption.builder().withLeaseId(place.session().id()).build());
        // An exclusive one finds itself first, as the newest.
        boolean shared = place.request().mode() == LockMode.SHARED;
        Op last = Op.get(place.queue().first(), newest(place, shared ? 1 : 2).build());
        return calls.transactOrAgain(kv -> kv.txn()
                        .If(isAbsent(place.key()), isAbsent(place.withdrawal()))
                        .Then(put, last)
                        .Else(Op.get(place.key(), GetOption.DEFAULT))
                        .commit())
                .thenApply(answer -> entered(answer.value(), answer.repeated()));
    }

    private static Place.Finding entered(TxnResponse answer, boolean doubtful) {
        List<KeyValue> found = answer.getGetResponses().get(0).getKvs();
        if (answer.isSucceeded()) {
            long own = answer.getHeader().getRevision();
            return new Place.Standing(own, firstBefore(own, found), doubtful);
        }
        return found.isEmpty() ? GONE : new Place.Standing(found.get(0).getCreateRevision(), UNKNOWN, doubtful);
    }

    /** Looks who is ahead, while making sure that the place is still the same. */
    CompletableFuture<Place.Finding> look(Place place, long createRevision) {
        GetOption before =
                newest(place, 1).withMaxCreateRevision(createRevision - 1).build();
        return calls.getIf(is(place.key(), createRevision), place.queue().first(), before)
                .thenApply(answer -> answer.isSucceeded()
                        ? new Place.Standing(
                                createRevision,
                                firstBefore(
                                        createRevision,
                                        answer.getGetResponses().get(0).getKvs()),
                                false)
                        : GONE);
    }

    private static Place.Ahead firstBefore(long createRevision, List<KeyValue> newestFirst) {
        for (KeyValue each : newestFirst) {
            if (each.getCreateRevision() < createRevision) {
                return new Place.Ahead.Predecessor(each.getKey());
            }
        }
        return NOBODY;
    }

    private static GetOption.Builder newest(Place place, int limit) {
        return GetOption.builder()
                .withRange(place.queue().endFor(place.request().mode()))
                .withSortField(GetOption.SortTarget.CREATE)
                .withSortOrder(GetOption.SortOrder.DESCEND)
                .withLimit(limit)
                .withKeysOnly(true);
    }

    /** Leaves the queue, or gives the lock back, if the place is still the same. */
    CompletableFuture<Release> leave(ByteSequence key, long createRevision) {
        return calls.transactOrAgain(kv -> kv.txn()
                        .If(is(key, createRevision))
                        .Then(Op.delete(key, DeleteOption.DEFAULT))
                        .commit())
                .thenApply(QueueCalls::unlessRepeated);
    }

    /**
     * Leaves the queue, or gives the lock back, for good: a request to take the place that is still under way, in a
     * server that is frozen perhaps, will find that it was given up.
     *
     * @return whether the place was there
     */
    CompletableFuture<Release> withdraw(Place place) {
        PutOption onSession =
                PutOption.builder().withLeaseId(place.session().id()).build();
        Op mark = Op.put(place.withdrawal(), HolderNote.WITHDRAWN, onSession);
        return calls.transactOrAgain(kv -> kv.txn()
                        .If(new Cmp(place.key(), Cmp.Op.GREATER, CmpTarget.createRevision(0)))
                        .Then(Op.delete(place.key(), DeleteOption.DEFAULT), mark)
                        .Else(mark)
                        .commit())
                .thenApply(QueueCalls::unlessRepeated)
                .exceptionallyCompose(
                        failure -> CallFailure.of("a transaction", failure).isLeaseNotFound()
                                // Nothing can be put on a session that is gone.
                                ? CompletableFuture.completedFuture(Release.NOT_OWNER)
                                : CompletableFuture.failedFuture(failure));
    }

    /** Deletes a key that nobody knows. */
    CompletableFuture<Release> delete(ByteSequence key) {
        return calls.transact(kv ->
                        kv.txn().Then(Op.delete(key, DeleteOption.DEFAULT)).commit())
                .thenApply(QueueCalls::release);
    }

    private static Release unlessRepeated(Hedge.Answer<TxnResponse> answer) {
        Release release = release(answer.value());
        // The first of two calls may have deleted it.
        return release == Release.NOT_OWNER && answer.repeated() ? Release.UNKNOWN : release;
    }

    /** Gives the lock back, but leaves the key until the other lease runs out; it keeps its create revision. */
    CompletableFuture<Release> keep(ByteSequence key, long createRevision, long leaseId) {
        PutOption onLease = PutOption.builder().withLeaseId(leaseId).build();
        return calls.transact(kv -> kv.txn()
                        .If(is(key, createRevision))
                        .Then(Op.put(key, HolderNote.KEPT, onLease))
                        .commit())
                .thenApply(QueueCalls::release);
    }

    private static Release release(TxnResponse answer) {
        return answer.isSucceeded() ? Release.RELEASED : Release.NOT_OWNER;
    }

    private static Cmp isAbsent(ByteSequence key) {
        return is(key, 0);
    }

    private static Cmp is(ByteSequence key, long createRevision) {
        return new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(createRevision));
    }
}
