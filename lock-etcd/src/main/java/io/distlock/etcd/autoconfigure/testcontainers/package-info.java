/** Finds etcd in a container that a test has started. */
@NullMarked
package io.distlock.etcd.autoconfigure.testcontainers;

import org.jspecify.annotations.NullMarked;
