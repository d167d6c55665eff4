/** Calls to etcd, each with a deadline; changes to the driver, and information about the cluster. */
@NullMarked
package io.distlock.etcd.client;

import org.jspecify.annotations.NullMarked;
