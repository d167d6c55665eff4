package io.distlock.leader;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Elects one of several instances to lead a role: the one that holds the role's lock. {@link LeaderElectionBuilder} makes it.
 *
 * <pre>{@code
 * LeaderElection election = LeaderElectionBuilder.of(client, runtime, "night-report").build();
 * election.stand();
 * …
 * if (election.isLeader()) {
 *     sendReport();
 * }
 * }</pre>
 *
 * <p>An instance that stands waits for the lock without a thread, and stands again after each term and each failure of the
 * store, until it withdraws. A term ends a margin, a tenth of the lease time, before the lock could expire. So listeners are
 * notified before another instance can be elected, as long as the store keeps what it has granted.
 *
 * <p>Thread-safe.
 */
public interface LeaderElection extends AutoCloseable {

    /** The name of all locks of roles. */
    String LOCK_NAME = "leader";

    /** What is led. */
    String role();

    /** The lock that the leader holds: the role, under the name {@value #LOCK_NAME}. */
    default LockKey key() {
        return LockKey.of(LOCK_NAME, role());
    }

    /**
     * Stands for election from now on. No effect if it already does.
     *
     * @throws IllegalStateException if this election is closed
     */
    void stand();

    /** Whether this instance leads, or stands for election. */
    boolean isStanding();

    /** Whether this instance leads at this moment, by the clock. Within a term, false is final. */
    boolean isLeader();

    /** The term of this instance; empty if it does not lead. */
    Optional<LeaderTerm> term();

    /**
     * Enters the term for a piece of work: the lock of the term, to be released when the work is over. Empty if this
     * instance does not lead. When it resigns or withdraws, it leads no longer at once, but keeps the lock until the work that
     * has been entered is over, within the revoke timeout. The release does not end the term.
     */
    Optional<HeldLock> enter();

    /**
     * Asks the store who leads.
     *
     * @throws io.distlock.LockUnavailableException if it did not answer
     * @throws io.distlock.LockInterruptedException if the thread was interrupted; the flag is kept
     */
    Optional<Leader> leader();

    /**
     * Ends the term of this instance. It stands again after a pause, in which others can be elected.
     *
     * @return false if it does not lead
     */
    boolean resign();

    /**
     * Ends the term of this instance, if it leads, and stands no longer.
     *
     * @return completes when the lock has been given back: once listeners have returned and work is over, or after the revoke
     *     timeout
     */
    CompletionStage<Void> withdraw();

    /** Adds a listener, which is notified from the next event on. */
    void addListener(LeaderListener listener);

    void removeListener(LeaderListener listener);

    /** Withdraws for good, and waits until the lock has been given back. Not to be called by a listener. Close it before its client. */
    @Override
    void close();
}
