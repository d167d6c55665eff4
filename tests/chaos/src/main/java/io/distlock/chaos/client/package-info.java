/** The clients: JVMs of their own that take locks and write at a register. */
@NullMarked
package io.distlock.chaos.client;

import org.jspecify.annotations.NullMarked;
