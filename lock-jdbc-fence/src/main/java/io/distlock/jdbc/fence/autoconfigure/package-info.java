/** Auto-configuration of fences in databases. */
@NullMarked
package io.distlock.jdbc.fence.autoconfigure;

import org.jspecify.annotations.NullMarked;
