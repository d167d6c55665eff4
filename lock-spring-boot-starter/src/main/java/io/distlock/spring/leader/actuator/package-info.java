/** Health, metrics and endpoint of leader election. */
@NullMarked
package io.distlock.spring.leader.actuator;

import org.jspecify.annotations.NullMarked;
