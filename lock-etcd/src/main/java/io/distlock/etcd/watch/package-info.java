/** Watches on keys, all on one stream. */
@NullMarked
package io.distlock.etcd.watch;

import org.jspecify.annotations.NullMarked;
