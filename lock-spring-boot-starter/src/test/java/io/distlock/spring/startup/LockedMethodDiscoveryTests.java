package io.distlock.spring.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;

/** Where the annotation may stand, and through which proxies it is obeyed. */
class LockedMethodDiscoveryTests {

    private static final String JDK_PROXIES = "spring.aop.proxy-target-class=false";

    private final ApplicationContextRunner runner = LockTestContext.manual();

    private static List<LockKey> held() {
        return LockContext.find().map(HeldLock::keys).orElse(List.of());
    }

    // --- meta-annotation ---

    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock(name = "orders", mode = LockMode.SHARED)
    @interface OrderLock {

        @AliasFor(annotation = DistributedLock.class, attribute = "key")
        String id();

        @AliasFor(annotation = DistributedLock.class, attribute = "waitTime")
        String patience() default "0s";
    }

    static class Meta {

        @OrderLock(id = "#id")
        public HeldLock read(long id) {
            return LockContext.current();
        }
    }

    @Test
    void aMetaAnnotationLocksWithItsOwnAttributes() {
        runner.withBean(Meta.class).run(context -> {
            HeldLock lock = context.getBean(Meta.class).read(7);
            assertThat(lock.keys()).containsExactly(LockKey.of("orders", "7"));
            assertThat(lock.mode()).isEqualTo(LockMode.SHARED);
        });
    }

    // --- interfaces and generics ---

    interface Service {

        @DistributedLock(name = "service", key = "#id")
        List<LockKey> call(long id);

        List<LockKey> unlocked();

        @DistributedLock
        default List<LockKey> byDefault() {
            return held();
        }
    }

    static class ServiceBean implements Service {

        @Override
        public List<LockKey> call(long id) {
            return held();
        }

        @Override
        public List<LockKey> unlocked() {
            return held();
        }
    }

    @Test
    void anInterfacesMethodIsLockedBehindAClassProxy() {
        runner.withBean(ServiceBean.class).run(context -> {
            ServiceBean service = context.getBean(ServiceBean.class);
            assertThat(AopUtils.isCglibProxy(service)).isTrue();
            assertThat(service.call(1)).containsExactly(LockKey.of("service", "1"));
            assertThat(service.byDefault()).containsExactly(LockKey.of("Service.byDefault"));
            assertThat(service.unlocked()).isEmpty();
        });
    }

    @Test
    void anInterfacesMethodIsLockedBehindAnInterfaceProxy() {
        runner.withPropertyValues(JDK_PROXIES).withBean(ServiceBean.class).run(context -> {
            Service service = context.getBean(Service.class);
            assertThat(AopUtils.isJdkDynamicProxy(service)).isTrue();
            assertThat(service.call(1)).containsExactly(LockKey.of("service", "1"));
            assertThat(service.byDefault()).containsExactly(LockKey.of("Service.byDefault"));
            assertThat(service.unlocked()).isEmpty();
        });
    }

    interface Handler<T> {

        List<LockKey> handle(T message);
    }

    record Order(long id) {}

    static class OrderHandler implements Handler<Order> {

        @Override
        @DistributedLock(name = "handler", key = "#order.id")
        public List<LockKey> handle(Order order) {
            return held();
        }
    }

    @Test
    void aMethodBehindABridgeIsLockedByItsOwnParameters() {
        for (boolean byClass : new boolean[] {true, false}) {
            runner.withPropertyValues("spring.aop.proxy-target-class=" + byClass)
                    .withBean(OrderHandler.class)
                    .run(context -> {
                        @SuppressWarnings("unchecked")
                        Handler<Order> handler = context.getBean(Handler.class);
                        assertThat(handler.handle(new Order(3))).containsExactly(LockKey.of("handler", "3"));
                    });
        }
    }

    interface GenericHandler<T> {

        @DistributedLock(name = "generic", key = "#p0")
        List<LockKey> handle(T message);
    }

    static class TextHandler implements GenericHandler<String> {

        @Override
        public List<LockKey> handle(String message) {
            return held();
        }
    }

    @Test
    void aGenericInterfacesMethodIsLocked() {
        runner.withBean(TextHandler.class)
                .run(context -> assertThat(context.getBean(TextHandler.class).handle("text"))
                        .containsExactly(LockKey.of("generic", "text")));
    }

    @Test
    void aLambdaIsLockedUnderANameThatIsTheSameInEachProcess() {
        runner.withBean("lambda", GenericHandler.class, () -> (GenericHandler<String>) message -> held())
                .withBean("named", Named.class, () -> LockedMethodDiscoveryTests::held)
                .run(context -> {
                    @SuppressWarnings("unchecked")
                    GenericHandler<String> handler = context.getBean(GenericHandler.class);
                    assertThat(handler.handle("x")).containsExactly(LockKey.of("generic", "x"));
                    assertThat(context.getBean(Named.class).call()).containsExactly(LockKey.of("Named.call"));
                });
    }

    interface Named {

        @DistributedLock
        List<LockKey> call();
    }

    // --- types ---

    @DistributedLock(key = "#p0")
    static class EachMethod extends Inherited {

        public List<LockKey> one(String key) {
            return held();
        }

        @DistributedLock("two")
        public List<LockKey> two() {
            return held();
        }

        List<LockKey> packagePrivate(String key) {
            return held();
        }

        @Override
        public String toString() {
            return held().toString();
        }

        @SuppressWarnings("unused") // a private method is not called through the bean
        private static void helper() {}
    }

    static class Inherited {

        public List<LockKey> inherited(String key) {
            return held();
        }
    }

    @Test
    void onATypeEachMethodIsLockedByItselfUnlessItSaysOtherwise() {
        runner.withBean(EachMethod.class).run(context -> {
            EachMethod bean = context.getBean(EachMethod.class);
            assertThat(bean.one("a")).containsExactly(LockKey.of("EachMethod.one", "a"));
            assertThat(bean.two()).containsExactly(LockKey.of("two"));
            assertThat(bean.packagePrivate("b")).containsExactly(LockKey.of("EachMethod.packagePrivate", "b"));
            assertThat(bean.inherited("c")).containsExactly(LockKey.of("Inherited.inherited", "c"));
            assertThat(bean).hasToString("[]");
        });
    }

    @DistributedLock("typed")
    interface Typed {

        List<LockKey> call();
    }

    @Test
    void onAnInterfaceEachMethodIsLockedOfAProxyToo() {
        runner.withPropertyValues(JDK_PROXIES)
                .withBean("typed", Typed.class, () -> LockedMethodDiscoveryTests::held)
                .run(context -> assertThat(context.getBean(Typed.class).call()).containsExactly(LockKey.of("typed")));
    }

    static class Base {

        @DistributedLock
        public List<LockKey> run() {
            return held();
        }
    }

    static class Derived extends Base {

        @Override
        public List<LockKey> run() {
            return super.run();
        }
    }

    static class Heir extends Base {}

    @Test
    void anOverridingMethodIsLockedByWhatItOverridesAndNamedByItself() {
        runner.withBean(Derived.class).withBean(Heir.class).run(context -> {
            assertThat(context.getBean(Derived.class).run()).containsExactly(LockKey.of("Derived.run"));
            assertThat(context.getBean(Heir.class).run()).containsExactly(LockKey.of("Base.run"));
        });
    }

    // --- beans that are not plain singletons ---

    @Test
    void prototypesAndLazyBeansAreLocked() {
        runner.withInitializer(LockTestContext.bean("prototype", Meta.class, bean -> bean.setScope("prototype")))
                .withInitializer(LockTestContext.bean("lazy", ServiceBean.class, bean -> bean.setLazyInit(true)))
                .run(context -> {
                    assertThat(context.getBean(Meta.class).read(1).keys()).isNotEmpty();
                    assertThat(context.getBean(Service.class).call(1)).isNotEmpty();
                });
    }

    @Test
    void aBeanWithoutTheAnnotationGetsNoProxy() {
        runner.withBean("plain", Supplier.class, () -> Optional::empty)
                .withBean(Inherited.class)
                .run(context -> {
                    assertThat(AopUtils.isAopProxy(context.getBean("plain"))).isFalse();
                    assertThat(AopUtils.isAopProxy(context.getBean(Inherited.class)))
                            .isFalse();
                });
    }
}
