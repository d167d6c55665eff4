package io.distlock.spi;

/**
 * The answer to a successful acquisition. The engine returns one that took too long to arrive.
 *
 * @param lease what was granted
 * @param since read before the request that made or last extended the grant left this machine: its validity starts here
 */
public record Grant(Lease lease, Moment since) {}
