/**
 * What every lock provider must do, as JUnit tests. A provider's module extends
 * {@link io.distlock.test.contract.LockProviderContract} and, if its store can fail,
 * {@link io.distlock.test.contract.StoreTroubleContract}.
 */
@NullMarked
package io.distlock.test.contract;

import org.jspecify.annotations.NullMarked;
