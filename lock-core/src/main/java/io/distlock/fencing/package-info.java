/** Resources that refuse stale holders. */
@NullMarked
package io.distlock.fencing;

import org.jspecify.annotations.NullMarked;
