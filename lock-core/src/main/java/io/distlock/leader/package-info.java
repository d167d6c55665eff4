/** Leader election: one of several instances leads a role, for as long as it holds the role's lock. */
@NullMarked
package io.distlock.leader;

import org.jspecify.annotations.NullMarked;
