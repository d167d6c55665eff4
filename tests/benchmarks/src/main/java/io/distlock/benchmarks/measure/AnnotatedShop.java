package io.distlock.benchmarks.measure;

import io.distlock.LockClient;
import io.distlock.benchmarks.store.Contestant;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.template.LockTemplate;
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

    static Contestant calling(ApplicationContext context) {
        return contestant("@DistributedLock", context.getBean(AnnotatedShop.class)::ship);
    }

    static Contestant usingTheClient(ApplicationContext context) {
        LockClient locks = context.getBean(LockClient.class);
        return contestant(
                "distlock",
                item -> locks.acquire(locks.request("bench", Integer.toString(item)))
                        .close());
    }

    static Contestant usingTheTemplate(ApplicationContext context) {
        LockTemplate locks = context.getBean(LockTemplate.class);
        return contestant("LockTemplate", item -> locks.lock("bench", item).run(() -> {}));
    }

    static Contestant contestant(String name, IntConsumer cycle) {
        return new Contestant() {

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
