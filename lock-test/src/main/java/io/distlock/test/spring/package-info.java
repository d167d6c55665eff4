/** Integrates {@link io.distlock.test.application} with Spring tests. The only package here that needs Spring. */
@NullMarked
package io.distlock.test.spring;

import org.jspecify.annotations.NullMarked;
