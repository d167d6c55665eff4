/** What an HTTP client sees of a call that did not get its lock. */
@NullMarked
package io.distlock.spring.web;

import org.jspecify.annotations.NullMarked;
