package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.bean.override.convention.TestBean;

/** An application's own tests may put objects of theirs in the place of locked beans. */
@SpringBootTest(classes = ReplacedBeanTests.Application.class, properties = "distributed-lock.provider=in-memory")
class ReplacedBeanTests {

    @TestBean
    Orders orders;

    static Orders orders() {
        return new Orders() {
            @Override
            public String ship() {
                return "stub";
            }
        };
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    static class Orders {

        @DistributedLock
        public String ship() {
            return "real";
        }
    }

    @Test
    void anObjectThatReplacesALockedBeanDoesNotFailTheStart() {
        assertThat(orders.ship()).isEqualTo("stub");
    }
}
