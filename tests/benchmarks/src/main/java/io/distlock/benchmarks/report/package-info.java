/** The figures and how they are shown. */
@NullMarked
package io.distlock.benchmarks.report;

import org.jspecify.annotations.NullMarked;
