/** Time that a test moves by hand. */
@NullMarked
package io.distlock.test.time;

import org.jspecify.annotations.NullMarked;
