/** Brings {@link io.distlock.test.application} into tests with Spring. The only package here that needs Spring. */
@NullMarked
package io.distlock.test.spring;

import org.jspecify.annotations.NullMarked;
