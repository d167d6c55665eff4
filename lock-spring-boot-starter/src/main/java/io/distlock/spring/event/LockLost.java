package io.distlock.spring.event;

import io.distlock.LockEvent;

/**
 * A lock was lost while it was held. Published to listeners of the application context, on a dedicated thread
 * where they may block.
 *
 * @param provider the provider of the lock
 * @param event what happened
 */
public record LockLost(String provider, LockEvent.Lost event) {}
