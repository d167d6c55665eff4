/**
 * Locks in etcd: a queue of keys for each lock, in the order of their creation. Start at
 * {@link io.distlock.etcd.EtcdLockProvider}.
 */
@NullMarked
package io.distlock.etcd;

import org.jspecify.annotations.NullMarked;
