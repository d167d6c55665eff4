/** The measurements, one class each. */
@NullMarked
package io.distlock.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
