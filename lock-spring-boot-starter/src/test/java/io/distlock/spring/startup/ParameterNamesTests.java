package io.distlock.spring.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import org.junit.jupiter.api.Test;

/** An implementation may call its parameters what it likes. */
class ParameterNamesTests {

    interface Shipping<T> {

        @DistributedLock(name = "ship", key = "#orderId")
        LockKey ship(T orderId);

        @DistributedLock(name = "swap", key = "#from + '>' + #to")
        LockKey swap(String from, String to);

        LockKey locked(String shop);
    }

    static class Service implements Shipping<Long> {

        @Override
        public LockKey ship(Long id) {
            return LockContext.current().keys().get(0);
        }

        @Override
        @SuppressWarnings("OverridingMethodInconsistentArgumentNamesChecker") // just that is tested
        public LockKey swap(String to, String from) {
            return LockContext.current().keys().get(0);
        }

        @Override
        @DistributedLock(name = "locked", key = "#shop + #renamed")
        public LockKey locked(String renamed) {
            return LockContext.current().keys().get(0);
        }
    }

    @DistributedLock(name = "type", key = "#shop")
    interface Whole {

        LockKey only(String shop);
    }

    static class WholeService implements Whole {

        @Override
        public LockKey only(String renamed) {
            return LockContext.current().keys().get(0);
        }
    }

    @Test
    void anExpressionOnAnInterfaceUsesTheNamesOfTheInterface() {
        LockTestContext.manual().withBean(Service.class).run(context -> {
            Service service = context.getBean(Service.class);
            assertThat(service.ship(7L)).isEqualTo(LockKey.of("ship", "7"));
            assertThat(service.swap("a", "b")).isEqualTo(LockKey.of("swap", "a>b"));
        });
    }

    @Test
    void anExpressionOnTheImplementationMayUseBoth() {
        LockTestContext.manual()
                .withBean(Service.class)
                .run(context ->
                        assertThat(context.getBean(Service.class).locked("x")).isEqualTo(LockKey.of("locked", "xx")));
    }

    @Test
    void anExpressionOnATypeUsesTheNamesOfItsMethods() {
        LockTestContext.manual()
                .withBean(WholeService.class)
                .run(context -> assertThat(context.getBean(WholeService.class).only("x"))
                        .isEqualTo(LockKey.of("type", "x")));
    }
}
