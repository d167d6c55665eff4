/** Parts for authors of lock providers: one scheduler, time limits, the wait loop and the reaper. */
@NullMarked
package io.distlock.support;

import org.jspecify.annotations.NullMarked;
