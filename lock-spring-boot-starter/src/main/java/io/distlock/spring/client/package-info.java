/** Lock clients that observe other clients, for metrics, traces and leak detection. Not for applications. */
@NullMarked
package io.distlock.spring.client;

import org.jspecify.annotations.NullMarked;
