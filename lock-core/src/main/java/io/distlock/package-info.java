/** Distributed locks: the application API. Start at {@link io.distlock.LockClient}. */
@NullMarked
package io.distlock;

import org.jspecify.annotations.NullMarked;
