/** Real server processes for tests: started on free loopback ports in temp folders, ended by their own process id. */
@NullMarked
package io.distlock.test.process;

import org.jspecify.annotations.NullMarked;
