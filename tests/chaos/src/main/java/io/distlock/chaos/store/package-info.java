/** The stores under test: their servers and what can happen to them. */
@NullMarked
package io.distlock.chaos.store;

import org.jspecify.annotations.NullMarked;
