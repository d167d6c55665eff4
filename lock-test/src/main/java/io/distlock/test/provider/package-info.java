/** Providers that misbehave on purpose. */
@NullMarked
package io.distlock.test.provider;

import org.jspecify.annotations.NullMarked;
