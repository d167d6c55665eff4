/** Spring Integration's interfaces on a lock client. */
@NullMarked
package io.distlock.integration;

import org.jspecify.annotations.NullMarked;
