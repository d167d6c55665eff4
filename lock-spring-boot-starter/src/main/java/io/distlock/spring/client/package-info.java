/**
 * What observes each client: leak detection, application events, and the names that metrics and traces use. Not for
 * applications.
 */
@NullMarked
package io.distlock.spring.client;

import org.jspecify.annotations.NullMarked;
