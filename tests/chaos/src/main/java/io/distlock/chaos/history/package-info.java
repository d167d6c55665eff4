/** What happened in a campaign, as each process recorded it. */
@NullMarked
package io.distlock.chaos.history;

import org.jspecify.annotations.NullMarked;
