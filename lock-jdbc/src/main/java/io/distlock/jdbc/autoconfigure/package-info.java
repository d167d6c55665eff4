/** Auto-configuration of locks in a SQL database. */
@NullMarked
package io.distlock.jdbc.autoconfigure;

import org.jspecify.annotations.NullMarked;
