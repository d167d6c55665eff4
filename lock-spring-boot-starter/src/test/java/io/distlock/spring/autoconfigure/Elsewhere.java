package io.distlock.spring.autoconfigure;

import io.distlock.spring.DistributedLock;

/** Has a method that classes of its own package alone can call, and override. */
public class Elsewhere {

    @DistributedLock
    void run() {}
}
