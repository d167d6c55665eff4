package io.distlock.applications.contract;

import io.distlock.spring.DistributedLock;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/** An annotation of the application's own. */
@DistributedLock(name = "own", waitTime = "0s")
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Exclusive {

    @AliasFor(annotation = DistributedLock.class, attribute = "key")
    String on();
}
