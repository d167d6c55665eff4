/** For the authors of lock providers: when a provider is wired, and the settings that all providers share. */
@NullMarked
package io.distlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
