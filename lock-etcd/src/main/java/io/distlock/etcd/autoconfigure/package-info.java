/** Wires the etcd provider into a Spring Boot application, including etcd from Docker Compose or Testcontainers. */
@NullMarked
package io.distlock.etcd.autoconfigure;

import org.jspecify.annotations.NullMarked;
