/** etcd, measured. */
@NullMarked
package io.distlock.benchmarks.etcd;

import org.jspecify.annotations.NullMarked;
