package io.distlock.spring.event;

import io.distlock.LockEvent;

/**
 * A lock was not granted, because others held it for the whole wait time. Published to listeners of the application
 * context, on a dedicated thread where they may block.
 *
 * @param provider the provider of the lock
 * @param event what happened
 */
public record LockNotAcquired(String provider, LockEvent.NotAcquired event) {}
