package io.distlock.benchmarks.measure;

import io.distlock.LockClient;
import io.distlock.benchmarks.store.Contender;
import io.distlock.spring.DistributedLock;
import java.util.function.IntConsumer;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationContext;

/** An application with one locked method, and the same lock taken by hand. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class AnnotatedShop {

    @DistributedLock(name = "bench", key = "#item")
    void ship(int item) {}

    static Contender calling(ApplicationContext context) {
        return contender("@DistributedLock", context.getBean(AnnotatedShop.class)::ship);
    }

    static Contender usingTheClient(ApplicationContext context) {
        LockClient locks = context.getBean(LockClient.class);
        return contender(
                "distlock",
                item -> locks.acquire(locks.request("bench", Integer.toString(item)))
                        .close());
    }

    static Contender contender(String name, IntConsumer cycle) {
        return new Contender() {

            @Override
            public String name() {
                return name;
            }

            @Override
            public void cycle(int item) {
                cycle.accept(item);
            }

            @Override
            public void close() {}
        };
    }
}
