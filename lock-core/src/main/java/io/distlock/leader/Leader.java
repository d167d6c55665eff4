package io.distlock.leader;

import io.distlock.FencingToken;
import java.time.Instant;
import java.util.Optional;

/**
 * The leader of a role, as the store knows it.
 *
 * @param role what is led
 * @param owner the owner value in the store
 * @param instance the application and instance that the owner value begins with, as in {@code orders@web-1.4711}, if any
 * @param token the fencing token of its term, if the store knows it
 * @param since when its term began if it is this instance's, otherwise when this instance first saw it
 */
public record Leader(
        String role, String owner, Optional<String> instance, Optional<FencingToken> token, Instant since) {}
