/** Distributed locks: what an application types. Start at {@link io.distlock.LockClient}. */
@NullMarked
package io.distlock;

import org.jspecify.annotations.NullMarked;
