/** Real PostgreSQL and MariaDB servers, for the tests of the other modules. */
@NullMarked
package io.distlock.test.sql;

import org.jspecify.annotations.NullMarked;
