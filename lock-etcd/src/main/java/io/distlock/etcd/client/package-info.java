/** Calls to etcd, each with a deadline; what they change about the driver, and what they learn about the cluster. */
@NullMarked
package io.distlock.etcd.client;

import org.jspecify.annotations.NullMarked;
