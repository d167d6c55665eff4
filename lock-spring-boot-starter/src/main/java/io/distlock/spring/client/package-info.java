/** Clients that stand around others and follow what becomes of each call. Not for applications. */
@NullMarked
package io.distlock.spring.client;

import org.jspecify.annotations.NullMarked;
