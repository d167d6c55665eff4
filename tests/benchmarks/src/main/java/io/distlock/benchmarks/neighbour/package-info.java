/** A second JVM, so that what is measured between processes is. */
@NullMarked
package io.distlock.benchmarks.neighbour;

import org.jspecify.annotations.NullMarked;
