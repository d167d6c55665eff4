/** A fence in the database: transactions of a lock's stale holders are refused by the database itself. */
@NullMarked
package io.distlock.jdbc;

import org.jspecify.annotations.NullMarked;
