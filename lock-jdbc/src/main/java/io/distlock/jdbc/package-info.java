/** A fence in the database: the database itself refuses the transactions of a lock's stale holders. */
@NullMarked
package io.distlock.jdbc;

import org.jspecify.annotations.NullMarked;
