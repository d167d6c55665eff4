/** Wires the etcd provider into a Spring Boot application. */
@NullMarked
package io.distlock.etcd.autoconfigure;

import org.jspecify.annotations.NullMarked;
