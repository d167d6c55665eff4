package io.distlock;

import java.time.Duration;

/**
 * A call that a client has not answered yet, as it was when somebody looked. Of a call for several keys, the key that it
 * has come to.
 *
 * @param key what is asked for
 * @param mode how
 * @param waited since the call; for a further key of several, since the one before it was granted
 * @param remaining until its wait time is over; zero for a single attempt
 * @param thread the name of the thread that asked for it
 */
public record WaiterInfo(LockKey key, LockMode mode, Duration waited, Duration remaining, String thread) {}
