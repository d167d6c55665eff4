/** A small shop that must not sell more than it has: what a user of the library would write. */
@NullMarked
package io.distlock.samples.flashsale;

import org.jspecify.annotations.NullMarked;
