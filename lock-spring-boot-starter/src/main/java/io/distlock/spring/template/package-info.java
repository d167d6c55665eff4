/** Locks taken by code rather than by annotation: start at {@link io.distlock.spring.template.LockTemplate}. */
@NullMarked
package io.distlock.spring.template;

import org.jspecify.annotations.NullMarked;
