/** Watches on keys: many on one stream, or each on a stream of the driver's. */
@NullMarked
package io.distlock.etcd.watch;

import org.jspecify.annotations.NullMarked;
