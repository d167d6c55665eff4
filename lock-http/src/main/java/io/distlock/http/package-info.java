/**
 * Locks across HTTP: requests carry the sequencers of their sender's locks, and {@link io.distlock.http.RequireLock} refuses
 * requests without a current one.
 */
@NullMarked
package io.distlock.http;

import org.jspecify.annotations.NullMarked;
