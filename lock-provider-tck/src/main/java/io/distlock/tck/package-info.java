/**
 * What every lock provider must do, as JUnit tests. A provider's module extends
 * {@link io.distlock.tck.LockProviderContract} and, if its store can fail,
 * {@link io.distlock.tck.StoreTroubleContract}.
 */
@NullMarked
package io.distlock.tck;

import org.jspecify.annotations.NullMarked;
