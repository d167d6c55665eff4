/** The architecture rules that every module's tests apply to the module's classes. */
@NullMarked
package io.distlock.house;

import org.jspecify.annotations.NullMarked;
