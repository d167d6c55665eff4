/** What a lock store has to offer in order to be measured; nothing in here knows any store. */
@NullMarked
package io.distlock.benchmarks.store;

import org.jspecify.annotations.NullMarked;
