package io.distlock.spring.leader;

import io.distlock.leader.LeaderTerm;
import io.distlock.leader.Revocation;

/**
 * Published in the application context when this instance begins and ceases to lead, as {@link
 * io.distlock.leader.LeaderListener} is told: in order, on a thread that may block. An exception of a listener for {@link Elected}
 * ends the term, so that another instance can lead.
 */
public sealed interface LeaderEvent {

    LeaderTerm term();

    /** The role of the term. */
    default String role() {
        return term().role();
    }

    /** This instance leads. */
    record Elected(LeaderTerm term) implements LeaderEvent {}

    /** This instance leads no longer. */
    record Revoked(LeaderTerm term, Revocation reason) implements LeaderEvent {}
}
