package io.distlock.leader;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.LockStatus;
import io.distlock.support.LockRuntime;
import io.distlock.support.Timeouts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** An election: one candidacy after the other. The monitor guards which is the last. */
final class DefaultLeaderElection implements LeaderElection {

    /** More than a call to the store may take, after the revoke timeout. */
    private static final Duration LONGEST_RELEASE = Duration.ofSeconds(10);

    private final LockClient client;
    private final LockRuntime runtime;
    private final String role;
    private final LockRequest request;
    private final Duration revokeTimeout;
    private final List<LeaderListener> listeners;
    private final AtomicReference<@Nullable Sighting> sighting = new AtomicReference<>();
    private volatile @Nullable Candidacy candidacy;
    private boolean closed;

    /** When this instance first saw the term of another. */
    private record Sighting(String owner, Optional<FencingToken> token, Instant since) {}

    DefaultLeaderElection(
            LockClient client,
            LockRuntime runtime,
            String role,
            LockOptions options,
            Duration revokeTimeout,
            List<LeaderListener> listeners) {
        this.client = client;
        this.runtime = runtime;
        this.role = role;
        this.request = client.request(key()).withOptions(options);
        this.revokeTimeout = revokeTimeout;
        this.listeners = new CopyOnWriteArrayList<>(listeners);
    }

    @Override
    public String role() {
        return role;
    }

    @Override
    public void stand() {
        Candidacy next;
        CompletableFuture<Void> before;
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("the election for '" + role + "' is closed: make another one");
            }
            Candidacy last = candidacy;
            if (last != null && !last.isWithdrawn()) {
                return;
            }
            before = last == null ? CompletableFuture.completedFuture(null) : last.quiet();
            next = new Candidacy(this);
            candidacy = next;
        }
        before.thenRun(next::start);
    }

    @Override
    public boolean isStanding() {
        Candidacy last = candidacy;
        return last != null && !last.isWithdrawn();
    }

    @Override
    public boolean isLeader() {
        return current().isPresent();
    }

    @Override
    public Optional<LeaderTerm> term() {
        return current().map(Term::facts);
    }

    @Override
    public Optional<HeldLock> enter() {
        return current().flatMap(Term::enter);
    }

    private Optional<Term> current() {
        Candidacy last = candidacy;
        return last == null ? Optional.empty() : last.term().filter(Term::isCurrent);
    }

    @Override
    public Optional<Leader> leader() {
        return client.inspect(key())
                .map(LockStatus::holders)
                .flatMap(holders -> holders.stream().findFirst().map(this::describe));
    }

    private Leader describe(LockStatus.Holder holder) {
        Instant since = current()
                .map(Term::facts)
                .filter(own -> Optional.of(own.token()).equals(holder.token()))
                .map(LeaderTerm::since)
                .orElseGet(() -> firstSeen(holder));
        return new Leader(role, holder.owner(), holder.instance(), holder.token(), since);
    }

    private Instant firstSeen(LockStatus.Holder holder) {
        Sighting seen = sighting.updateAndGet(
                last -> last != null && last.owner.equals(holder.owner()) && last.token.equals(holder.token())
                        ? last
                        : new Sighting(holder.owner(), holder.token(), now()));
        return Objects.requireNonNull(seen).since;
    }

    Instant now() {
        return Instant.ofEpochMilli(runtime.ticker().wallMillis());
    }

    @Override
    public boolean resign() {
        return current().filter(term -> term.revoke(Revocation.RESIGNED)).isPresent();
    }

    @Override
    public CompletionStage<Void> withdraw() {
        Candidacy last = candidacy;
        return last == null ? CompletableFuture.completedFuture(null) : last.withdraw();
    }

    @Override
    public void addListener(LeaderListener listener) {
        listeners.add(Objects.requireNonNull(listener));
    }

    @Override
    public void removeListener(LeaderListener listener) {
        listeners.remove(listener);
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        Timeouts.await(withdraw().toCompletableFuture(), revokeTimeout.plus(LONGEST_RELEASE));
    }

    @Override
    public String toString() {
        return "LeaderElection[" + role + (isStanding() ? isLeader() ? ", leads" : ", stands" : "") + "]";
    }

    // --- for its candidacies ---

    LockClient client() {
        return client;
    }

    LockRuntime runtime() {
        return runtime;
    }

    LockRequest request() {
        return request;
    }

    Duration revokeTimeout() {
        return revokeTimeout;
    }

    List<LeaderListener> listeners() {
        return listeners;
    }
}
