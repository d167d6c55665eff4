/** What a lock provider implements. Start at {@link io.distlock.spi.LockProvider}. */
@NullMarked
package io.distlock.spi;

import org.jspecify.annotations.NullMarked;
