/** Hints at locks that are held for suspiciously long. */
@NullMarked
package io.distlock.spring.leak;

import org.jspecify.annotations.NullMarked;
