/** A provider inside one JVM, for tests and development. */
@NullMarked
package io.distlock.inmemory;

import org.jspecify.annotations.NullMarked;
