package io.distlock.spring.execution;

/**
 * What a lock means to the body under it.
 *
 * @param interruptOnLoss whether the body is interrupted, or its result cancelled, once the lock is lost
 * @param fenced whether its transactions show the lock to the resources that refuse stale holders
 */
public record BodyPolicy(boolean interruptOnLoss, boolean fenced) {}
