/** Campaigns of faults on real servers. */
@NullMarked
package io.distlock.chaos;

import org.jspecify.annotations.NullMarked;
