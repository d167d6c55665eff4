package io.distlock;

import java.time.Duration;

/**
 * A snapshot of a call that a client has not answered yet.
 *
 * @param key what is asked for; of several keys, the one that is being acquired now
 * @param mode how
 * @param waited since the call; for a later one of several keys, since the grant of the key before it
 * @param remaining until its wait time is over; zero for a single attempt
 * @param thread the name of the thread that asked for it
 */
public record WaiterInfo(LockKey key, LockMode mode, Duration waited, Duration remaining, String thread) {}
