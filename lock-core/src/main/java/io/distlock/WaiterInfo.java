package io.distlock;

import java.time.Duration;
import java.time.Instant;

/**
 * A snapshot of a call that a client has not answered yet.
 *
 * @param key the requested key; of several, the one being acquired now
 * @param permits how many permits it waits for, any of which will do; 1 for a lock
 * @param mode how
 * @param since when the call began, by this machine's clock at that time
 * @param waited since the call; for a later key of several, since the previous key's grant
 * @param remaining until its wait time is over; zero for a single attempt
 * @param thread the name of the requesting thread
 */
public record WaiterInfo(
        LockKey key, int permits, LockMode mode, Instant since, Duration waited, Duration remaining, String thread) {}
