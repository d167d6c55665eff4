/**
 * From the annotation to the lock: annotation, operation (once for each method), request (once for each call). Not
 * for applications.
 */
@NullMarked
package io.distlock.spring.interceptor;

import org.jspecify.annotations.NullMarked;
