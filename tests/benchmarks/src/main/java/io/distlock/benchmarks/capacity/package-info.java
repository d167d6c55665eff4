/** How the cost of locks grows with clients, keys, locks held and calls that wait. */
@NullMarked
package io.distlock.benchmarks.capacity;

import org.jspecify.annotations.NullMarked;
