/** Leader election for the instances of an application. */
@NullMarked
package io.distlock.spring.leader;

import org.jspecify.annotations.NullMarked;
