/** Measures the locks beside bare drivers, on real servers. Start at {@link io.distlock.benchmarks.Benchmarks}. */
@NullMarked
package io.distlock.benchmarks;

import org.jspecify.annotations.NullMarked;
