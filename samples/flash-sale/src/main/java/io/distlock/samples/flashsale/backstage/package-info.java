/**
 * What operations would provide in a real deployment, so that the sample runs with nothing installed: a
 * store for the lock, a database server, and a way for a second instance to find both. Nothing here has to do with locking.
 */
@NullMarked
package io.distlock.samples.flashsale.backstage;

import org.jspecify.annotations.NullMarked;
