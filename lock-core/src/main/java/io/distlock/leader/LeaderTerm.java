package io.distlock.leader;

import io.distlock.FencingToken;
import java.time.Instant;

/**
 * One term of an instance as leader.
 *
 * @param role what is led
 * @param token the fencing token of the term: larger than that of every earlier term of the role
 * @param since when it began, by this machine's clock at that time
 */
public record LeaderTerm(String role, FencingToken token, Instant since) {}
