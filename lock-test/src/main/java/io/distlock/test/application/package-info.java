/** For application tests: locks without a store, which a test can hold elsewhere, refuse or lose. */
@NullMarked
package io.distlock.test.application;

import org.jspecify.annotations.NullMarked;
