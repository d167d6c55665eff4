package io.distlock.engine;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Timeout;

/** Makes a call that never ends a failed test, not a build that hangs. */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface EndsInTime {}
