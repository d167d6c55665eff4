package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.verify;

import io.distlock.HeldLock;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

/** An application's own tests may put mocks and spies in the place of locked beans. */
@SpringBootTest(classes = MockedBeanTests.Application.class, properties = "distributed-lock.provider=in-memory")
class MockedBeanTests {

    @MockitoBean
    Orders orders;

    @MockitoSpyBean
    Bills bills;

    @Autowired
    LockClients clients;

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Orders orders() {
            return new Orders();
        }

        @Bean
        Bills bills() {
            return new Bills();
        }
    }

    static class Orders {

        @DistributedLock
        public Optional<HeldLock> ship() {
            return LockContext.find();
        }
    }

    static class Bills {

        @DistributedLock
        public Optional<HeldLock> send() {
            return LockContext.find();
        }
    }

    @Test
    void aMockDoesNotFailTheStart() {
        given(orders.ship()).willReturn(Optional.empty());
        assertThat(orders.ship()).isEmpty();
        assertThat(clients.providers()).containsExactly("in-memory");
    }

    @Test
    void aSpyIsLocked() {
        assertThat(bills.send()).isPresent();
        verify(bills).send();
    }
}
