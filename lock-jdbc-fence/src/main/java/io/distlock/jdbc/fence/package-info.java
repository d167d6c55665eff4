/** A fence in the database: the database itself refuses the transactions of a lock's stale holders. */
@NullMarked
package io.distlock.jdbc.fence;

import org.jspecify.annotations.NullMarked;
