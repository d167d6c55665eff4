package io.distlock.spi;

/**
 * The answer to a successful acquisition. The engine releases one that arrives too late. It is valid for the lease time minus
 * {@link LockProvider#clockDrift()} and 2 ms.
 *
 * @param lease what was granted
 * @param since read before sending the request that made or last extended the grant: its validity starts here
 */
public record Grant(Lease lease, Moment since) {}
