package io.distlock.samples.flashsale;

import java.time.Instant;

/**
 * What was sold so far.
 *
 * @param number which report
 * @param instance who wrote it
 * @param term the term of its leader: the fencing token of the role's lock
 * @param sold how many pieces, over all sales
 * @param writtenAt by the database's clock
 */
record Report(long number, String instance, long term, int sold, Instant writtenAt) {}
