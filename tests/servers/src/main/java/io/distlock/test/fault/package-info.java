/** Networks that misbehave on demand. */
@NullMarked
package io.distlock.test.fault;

import org.jspecify.annotations.NullMarked;
