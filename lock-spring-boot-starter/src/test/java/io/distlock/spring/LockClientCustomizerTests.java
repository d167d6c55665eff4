package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockClient;
import io.distlock.LockEvent;
import io.distlock.LockOptions;
import io.distlock.LockRequest;
import io.distlock.spring.template.LockTemplate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.mockito.AdditionalAnswers;
import org.mockito.Mockito;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** What an application may do with each client before its first use. */
class LockClientCustomizerTests {

    private final ApplicationContextRunner runner =
            LockTestContext.inMemory().withUserConfiguration(Customized.class).withBean(Jobs.class);

    static class Jobs {

        @DistributedLock(name = "jobs")
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Customized {

        private final List<String> journal = new CopyOnWriteArrayList<>();

        @Bean
        List<String> journal() {
            return journal;
        }

        /** A client in front of the one before it. */
        @Bean
        @Order(2)
        LockClientCustomizer wraps() {
            return client -> {
                journal.add("wraps " + client.provider());
                LockClient front = Mockito.mock(LockClient.class, AdditionalAnswers.delegatesTo(client));
                Mockito.doAnswer(call -> {
                            journal.add("asked for "
                                    + call.<LockRequest>getArgument(0).keys());
                            return client.acquire(call.getArgument(0));
                        })
                        .when(front)
                        .acquire(Mockito.any());
                return front;
            };
        }

        @Bean
        @Order(1)
        LockClientCustomizer listens() {
            return client -> {
                journal.add("listens to " + client.provider());
                client.addListener(event -> {
                    if (event instanceof LockEvent.Acquired) {
                        journal.add("acquired " + event.key());
                    }
                });
                return client;
            };
        }
    }

    @Test
    void customizersAreCalledInOrderAndTheirClientServesAnnotationAndTemplate() {
        runner.run(context -> {
            List<String> journal = context.getBean(Customized.class).journal;
            assertThat(journal).containsExactly("listens to in-memory", "wraps in-memory");
            journal.clear();
            context.getBean(Jobs.class).run();
            context.getBean(LockTemplate.class).lock("orders", 42).run(() -> {});
            assertThat(journal)
                    .containsExactly(
                            "asked for [jobs]", "acquired jobs", "asked for [orders:42]", "acquired orders:42");
            assertThat(context.getBean(LockClient.class).options()).isEqualTo(LockOptions.defaults());
        });
    }
}
