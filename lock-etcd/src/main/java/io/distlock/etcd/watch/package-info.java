/** Watches on keys: many on one stream, or each on its own driver stream. */
@NullMarked
package io.distlock.etcd.watch;

import org.jspecify.annotations.NullMarked;
