package io.distlock.etcd;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Release;
import io.distlock.etcd.client.EtcdCallException;
import io.distlock.etcd.client.EtcdCalls;
import io.distlock.spi.LeaseRequest;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Txn;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The transactions on a lock's queue, each one round trip. The keys' create revisions, which etcd never repeats, are the
 * order.
 *
 * <p><b>Requests that arrive late.</b> A request without an answer may be carried out at any later time, for example by a
 * member that froze holding it: only a running member notices the call's deadline or the end of its connection. But it is
 * sent once, so it is carried out at most once.
 * <ul>
 *   <li>To <em>take a place</em> late would leave a key that nobody knows of, on a session that others keep alive. So the
 *       request compares the <em>epoch</em>: the mod revision of its session's key. A withdrawal writes that key, and deletes
 *       the place, in one transaction: it deletes the place, or the request finds another epoch and does nothing. A
 *       withdrawal that finds a later epoch only deletes, since every request with the old one is refused.
 *   <li>To <em>withdraw</em> late does no harm: an acquisition that goes on takes a place with another key.
 *   <li>To <em>leave</em> or <em>keep</em> late does no harm: both compare the create revision of the key.
 * </ul>
 * The session's key is created with the first place and expires with the session's lease; then requests fail, because no
 * key can be put on a missing lease. Thread-safe.
 */
record QueueTransactions(EtcdCalls calls, EtcdKeys keys) {

    private static final QueueFinding REFUSED = new QueueFinding.Refused();
    private static final QueueFinding OCCUPIED = new QueueFinding.Occupied();
    private static final GetOption ONLY_KEY =
            GetOption.builder().withKeysOnly(true).build();

    /**
     * Takes a place at the end of the queue, unless it was withdrawn, and finds who is ahead. Whoever does not wait takes one only if
     * nobody is: it would be ahead of others until it is left again.
     */
    CompletableFuture<QueueFinding> enter(QueuePlace place) {
        ByteSequence session = sessionKey(place);
        PutOption lease = onLease(place.session().id());
        LockMode mode = place.request().mode();
        List<Op> take = new ArrayList<>();
        take.add(Op.put(place.key(), keys.note(mode, place.request().options().lockDelay()), lease));
        if (place.epoch() == Session.ABSENT) {
            take.add(Op.put(session, EtcdKeys.SESSION, lease));
        }
        // An exclusive one finds itself first, as the newest.
        take.add(newest(place, mode == LockMode.SHARED ? 1 : 2, 0));
        Function<Txn, CompletableFuture<TxnResponse>> transaction = txn -> txn.If(isEpoch(session, place.epoch()))
                .Then(take.toArray(Op[]::new))
                .Else(Op.get(session, ONLY_KEY))
                .commit();
        LockKey key = place.request().key();
        return (place.request().deadline().hasPassed()
                        ? calls.transactIfNone(keys.first(key), keys.end(key, mode), transaction)
                        : calls.transact(kv -> transaction.apply(kv.txn())))
                .thenApply(answer -> entered(place, answer))
                .exceptionallyCompose(failure -> unlessLost(place, failure, REFUSED));
    }

    /** A lost session has lost all its keys, and nothing can be put on it. */
    private static <T> CompletableFuture<T> unlessLost(QueuePlace place, Throwable failure, T otherwise) {
        if (!EtcdCallException.of("a transaction", failure).isLeaseNotFound()) {
            return CompletableFuture.failedFuture(failure);
        }
        place.session().lost();
        return CompletableFuture.completedFuture(otherwise);
    }

    private static QueueFinding entered(QueuePlace place, TxnResponse answer) {
        if (answer.isSucceeded()) {
            long own = answer.getHeader().getRevision();
            if (place.epoch() == Session.ABSENT) {
                place.session().epoch(place.epoch(), own);
            }
            List<KeyValue> found = answer.getGetResponses().get(0).getKvs();
            return standing(own, found, false, own);
        }
        long epoch = epochOf(answer.getGetResponses().get(0));
        place.session().epoch(place.epoch(), epoch);
        return epoch == place.epoch() ? OCCUPIED : REFUSED;
    }

    /** Finds who is ahead, and checks that the place is still the same; {@code before} was ahead last time. */
    CompletableFuture<QueueFinding> look(QueuePlace place, long createRevision, @Nullable ByteSequence before) {
        // If there was none, any key will do.
        Op sessionBefore = Op.get(before == null ? place.key() : keys.sessionOf(before), ONLY_KEY);
        return calls.read(kv -> kv.txn()
                        .If(is(place.key(), createRevision))
                        .Then(newest(place, 1, createRevision - 1), sessionBefore)
                        .Else(Op.get(sessionKey(place), ONLY_KEY))
                        .commit())
                .thenApply(answer -> looked(createRevision, answer));
    }

    private static QueueFinding looked(long createRevision, TxnResponse answer) {
        List<GetResponse> found = answer.getGetResponses();
        boolean leaseGone = found.get(found.size() - 1).getKvs().isEmpty();
        if (!answer.isSucceeded()) {
            return new QueueFinding.Gone(leaseGone);
        }
        return standing(
                createRevision,
                found.get(0).getKvs(),
                leaseGone,
                answer.getHeader().getRevision());
    }

    /** Which of these keys have gone, by one call; asks a majority. */
    CompletableFuture<Set<ByteSequence>> gone(Collection<ByteSequence> places) {
        List<ByteSequence> asked = List.copyOf(places);
        Op[] looks = asked.stream().map(each -> Op.get(each, ONLY_KEY)).toArray(Op[]::new);
        return calls.read(kv -> kv.txn().Then(looks).commit())
                .thenApply(answer -> IntStream.range(0, looks.length)
                        .filter(at -> answer.getGetResponses().get(at).getKvs().isEmpty())
                        .mapToObj(asked::get)
                        .collect(Collectors.toSet()));
    }

    private static QueueFinding.Standing standing(
            long createRevision, List<KeyValue> newestFirst, boolean leaseGone, long seen) {
        Optional<KeyValue> before = newestFirst.stream()
                .filter(each -> each.getCreateRevision() < createRevision)
                .findFirst();
        Duration lockDelay =
                before.map(each -> EtcdKeys.lockDelay(each.getValue())).orElse(Duration.ZERO);
        return new QueueFinding.Standing(createRevision, before.map(KeyValue::getKey), lockDelay, leaseGone, seen);
    }

    /** The newest places that this one waits for, up to a create revision; 0 means the latest. */
    private Op newest(QueuePlace place, int limit, long upTo) {
        LeaseRequest request = place.request();
        GetOption newest = GetOption.builder()
                .withRange(keys.end(request.key(), request.mode()))
                .withSortField(GetOption.SortTarget.CREATE)
                .withSortOrder(GetOption.SortOrder.DESCEND)
                .withMaxCreateRevision(upTo)
                .withLimit(limit)
                .build();
        return Op.get(keys.first(request.key()), newest);
    }

    CompletableFuture<Release> leave(ByteSequence key, long createRevision) {
        return calls.leave(ifThere(key, createRevision, Op.delete(key, DeleteOption.DEFAULT)))
                .thenApply(QueueTransactions::released);
    }

    /** Releases the lock, but leaves the key, with its create revision, until the other lease expires. */
    CompletableFuture<Release> keep(ByteSequence key, long createRevision, long leaseId) {
        return calls.leave(ifThere(key, createRevision, Op.put(key, EtcdKeys.KEPT, onLease(leaseId))))
                .thenApply(QueueTransactions::released);
    }

    private static Function<KV, CompletableFuture<TxnResponse>> ifThere(ByteSequence key, long revision, Op change) {
        return kv -> kv.txn().If(is(key, revision)).Then(change).commit();
    }

    private static Release released(TxnResponse answer) {
        return answer.isSucceeded() ? Release.RELEASED : Release.NOT_OWNER;
    }

    /** Ensures that a place does not exist and never will: see "Requests that arrive late". */
    CompletableFuture<Release> withdraw(QueuePlace place) {
        ByteSequence session = sessionKey(place);
        Op delete = Op.delete(place.key(), DeleteOption.DEFAULT);
        Op advance = Op.put(session, EtcdKeys.SESSION, onLease(place.session().id()));
        return calls.transact(kv -> kv.txn()
                        .If(isEpoch(session, place.epoch()))
                        .Then(delete, advance)
                        .Else(delete, Op.get(session, ONLY_KEY))
                        .commit())
                .thenApply(answer -> {
                    long epoch = answer.isSucceeded()
                            ? answer.getHeader().getRevision()
                            : epochOf(answer.getGetResponses().get(0));
                    place.session().epoch(place.epoch(), epoch);
                    return Release.RELEASED;
                })
                .exceptionallyCompose(failure -> unlessLost(place, failure, Release.RELEASED));
    }

    /** Moves a session's key, if it exists, to a lease that outlasts the session. */
    CompletableFuture<TxnResponse> keepSessionKey(Session session, long leaseId) {
        ByteSequence key = keys.session(session.id());
        return calls.transact(kv -> kv.txn()
                .If(new Cmp(key, Cmp.Op.GREATER, CmpTarget.createRevision(0)))
                .Then(Op.put(key, EtcdKeys.SESSION, onLease(leaseId)))
                .commit());
    }

    private ByteSequence sessionKey(QueuePlace place) {
        return keys.session(place.session().id());
    }

    private static PutOption onLease(long leaseId) {
        return PutOption.builder().withLeaseId(leaseId).build();
    }

    private static long epochOf(GetResponse session) {
        return session.getKvs().isEmpty()
                ? Session.ABSENT
                : session.getKvs().get(0).getModRevision();
    }

    /** A key that does not exist has the create revision 0. */
    private static Cmp is(ByteSequence key, long createRevision) {
        return new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(createRevision));
    }

    private static Cmp isEpoch(ByteSequence session, long epoch) {
        return new Cmp(session, Cmp.Op.EQUAL, CmpTarget.modRevision(epoch));
    }
}
