/**
 * Locks and transactions: a lock outlives the transaction it was taken in, and a lost one prevents the commit.
 */
@NullMarked
package io.distlock.spring.transaction;

import org.jspecify.annotations.NullMarked;
