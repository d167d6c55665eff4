package io.distlock.spi;

/**
 * The answer to an acquisition that succeeded.
 *
 * @param lease what was granted
 * @param since read before the request that made the grant, or last extended it, left this machine: validity is
 *     counted from here
 */
public record Grant(Lease lease, Moment since) {}
