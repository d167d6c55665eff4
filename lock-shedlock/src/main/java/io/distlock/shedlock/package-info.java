/** ShedLock's interfaces on a lock client. */
@NullMarked
package io.distlock.shedlock;

import org.jspecify.annotations.NullMarked;
