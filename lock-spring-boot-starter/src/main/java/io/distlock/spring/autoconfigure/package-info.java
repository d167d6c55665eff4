/** Wires the runtime, the clients and the interceptor into a Spring Boot application. */
@NullMarked
package io.distlock.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
