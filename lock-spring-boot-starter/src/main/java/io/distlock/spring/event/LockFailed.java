package io.distlock.spring.event;

import io.distlock.LockEvent;

/**
 * A call for a lock failed: the store did not answer, or the caller gave up. Published to listeners of the application
 * context, on a dedicated thread where they may block.
 *
 * @param provider the provider of the lock
 * @param event what happened
 */
public record LockFailed(String provider, LockEvent.Failed event) {}
