/**
 * Runs a body under a lock, or does not run it: the engine that the annotation and the template share. Not for
 * applications.
 */
@NullMarked
package io.distlock.spring.execution;

import org.jspecify.annotations.NullMarked;
