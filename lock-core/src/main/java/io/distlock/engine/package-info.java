/** The engine behind {@link io.distlock.LockClient}: queueing, renewal, loss, release. */
@NullMarked
package io.distlock.engine;

import org.jspecify.annotations.NullMarked;
