/** Applications that are built from the text of the documents, and run. */
@NullMarked
package io.distlock.test.application;

import org.jspecify.annotations.NullMarked;
