/**
 * Runs a body under locks, or does not run it, and knows which locks the running call holds. Shared by the annotation
 * and the template. Not for applications.
 */
@NullMarked
package io.distlock.spring.execution;

import org.jspecify.annotations.NullMarked;
