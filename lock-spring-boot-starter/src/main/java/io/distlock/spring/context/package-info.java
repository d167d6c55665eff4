/**
 * Which locks the running call holds: written by the interceptor, read through {@code LockContext}. Not for
 * applications.
 */
@NullMarked
package io.distlock.spring.context;

import org.jspecify.annotations.NullMarked;
