/** What a history must show. No I/O, no clock. */
@NullMarked
package io.distlock.chaos.check;

import org.jspecify.annotations.NullMarked;
