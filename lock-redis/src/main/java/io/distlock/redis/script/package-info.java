/**
 * One Redis deployment: the scripts, the names of its keys, and one-shot operations. Public only for the packages of
 * this module.
 */
@NullMarked
package io.distlock.redis.script;

import org.jspecify.annotations.NullMarked;
