/** For the tests of applications: locks without a store, that are held elsewhere, refused or lost when a test says so. */
@NullMarked
package io.distlock.test.application;

import org.jspecify.annotations.NullMarked;
