/** Locks in the SQL database that the application has: see {@link io.distlock.jdbc.JdbcLockProvider}. */
@NullMarked
package io.distlock.jdbc;

import org.jspecify.annotations.NullMarked;
