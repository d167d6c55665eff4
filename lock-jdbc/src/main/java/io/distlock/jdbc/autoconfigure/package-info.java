/** Auto-configuration of fences in databases. */
@NullMarked
package io.distlock.jdbc.autoconfigure;

import org.jspecify.annotations.NullMarked;
