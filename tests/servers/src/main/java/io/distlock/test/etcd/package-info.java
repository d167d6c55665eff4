/** Real etcd servers for tests: one, or a cluster, and a small client that looks into them. */
@NullMarked
package io.distlock.test.etcd;

import org.jspecify.annotations.NullMarked;
