/** Finds etcd among the services of Docker Compose, where Spring Boot starts them at development time. */
@NullMarked
package io.distlock.etcd.autoconfigure.dockercompose;

import org.jspecify.annotations.NullMarked;
