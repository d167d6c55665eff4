package io.distlock.toy;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spring.LockClients;
import io.distlock.test.application.LockTester;
import io.distlock.test.spring.InMemoryLocks;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** The test kit replaces a provider of which it does not know. */
@SpringBootTest(
        classes = ToyProviderTests.Application.class,
        webEnvironment = WebEnvironment.NONE,
        properties = {"distributed-lock.provider=toy", "distributed-lock.toy.enabled=true"})
@InMemoryLocks
class ToyReplacedTests {

    @Autowired
    LockTester locks;

    @Autowired
    LockClients clients;

    @Autowired
    ToyProviderTests.Jobs jobs;

    @Test
    void itsLocksAreInMemory() {
        assertThat(clients.providers()).containsExactly("in-memory");
        jobs.run();
        locks.assertThatLock("job").wasAcquired().wasReleased();
    }
}
