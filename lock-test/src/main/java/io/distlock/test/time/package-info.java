/** Time that a test advances itself. */
@NullMarked
package io.distlock.test.time;

import org.jspecify.annotations.NullMarked;
