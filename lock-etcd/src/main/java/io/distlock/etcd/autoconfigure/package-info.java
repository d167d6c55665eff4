/** Wires the etcd provider into a Spring Boot application, also where Docker Compose or Testcontainers start etcd. */
@NullMarked
package io.distlock.etcd.autoconfigure;

import org.jspecify.annotations.NullMarked;
