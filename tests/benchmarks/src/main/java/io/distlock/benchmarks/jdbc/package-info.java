/** PostgreSQL, measured. */
@NullMarked
package io.distlock.benchmarks.jdbc;

import org.jspecify.annotations.NullMarked;
