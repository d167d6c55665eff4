/** Tables of documents that programs write. */
@NullMarked
package io.distlock.test.page;

import org.jspecify.annotations.NullMarked;
