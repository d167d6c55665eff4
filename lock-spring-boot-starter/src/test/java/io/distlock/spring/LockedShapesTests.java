package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Far from the class of the bean, the annotation is obeyed too. */
class LockedShapesTests {

    private final ApplicationContextRunner runner = LockTestContext.manual();

    private static List<LockKey> held() {
        return LockContext.find().map(HeldLock::keys).orElse(List.of());
    }

    private <T> void isLocked(Class<?> bean, Class<T> called, Function<T, List<LockKey>> call) {
        for (boolean byClass : new boolean[] {true, false}) {
            runner.withPropertyValues("spring.aop.proxy-target-class=" + byClass)
                    .withBean(bean)
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(call.apply(context.getBean(called)))
                                .as("proxied by class: " + byClass)
                                .containsExactly(LockKey.of("far"));
                    });
        }
    }

    interface Far {

        @DistributedLock("far")
        List<LockKey> call();
    }

    interface Nearer extends Far {}

    static class BehindTwoInterfaces implements Nearer {

        @Override
        public List<LockKey> call() {
            return held();
        }
    }

    @Test
    void onAMethodOfASuperinterface() {
        isLocked(BehindTwoInterfaces.class, Nearer.class, Nearer::call);
    }

    @DistributedLock("far")
    interface FarType {}

    interface NearerType extends FarType {

        List<LockKey> call();
    }

    static class BehindTwoTypes implements NearerType {

        @Override
        public List<LockKey> call() {
            return held();
        }
    }

    @Test
    void onASuperinterface() {
        isLocked(BehindTwoTypes.class, NearerType.class, NearerType::call);
    }

    interface FarDefault {

        @DistributedLock("far")
        default List<LockKey> call() {
            return held();
        }
    }

    interface NearerDefault extends FarDefault {}

    static class WithDefault implements NearerDefault {}

    @Test
    void onADefaultMethodOfASuperinterface() {
        isLocked(WithDefault.class, NearerDefault.class, NearerDefault::call);
    }

    @Test
    void onAMethodOfASuperinterfaceOfAProxy() {
        runner.withBean("proxy", Nearer.class, () -> (Nearer) Proxy.newProxyInstance(
                        Nearer.class.getClassLoader(), new Class<?>[] {Nearer.class}, (proxy, method, args) -> held()))
                .run(context -> assertThat(context.getBean(Nearer.class).call()).containsExactly(LockKey.of("far")));
    }

    static class Unaware {

        public List<LockKey> call() {
            return held();
        }
    }

    static class Joined extends Unaware implements Far {}

    @Test
    void onAnInterfaceWhoseMethodIsInherited() {
        isLocked(Joined.class, Far.class, Far::call);
    }

    interface FarGeneric<T> {

        @DistributedLock("far")
        List<LockKey> call(T value);
    }

    static class UnawareOfText {

        public List<LockKey> call(String text) {
            return held();
        }
    }

    static class JoinedGeneric extends UnawareOfText implements FarGeneric<String> {}

    @Test
    @SuppressWarnings("unchecked")
    void onAGenericInterfaceWhoseMethodIsInherited() {
        isLocked(JoinedGeneric.class, FarGeneric.class, bean -> ((FarGeneric<String>) bean).call("x"));
    }

    abstract static class GenericBase<T> {

        @DistributedLock("far")
        public abstract List<LockKey> call(T value);
    }

    static class OfText extends GenericBase<String> {

        @Override
        public List<LockKey> call(String value) {
            return held();
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    void onAGenericSuperclassesMethod() {
        isLocked(OfText.class, GenericBase.class, bean -> ((GenericBase<String>) bean).call("x"));
    }

    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock("far")
    @interface Meta {}

    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Meta
    @interface MetaOfMeta {}

    interface FarMeta {

        @MetaOfMeta
        List<LockKey> call();
    }

    abstract static class Between implements FarMeta {}

    static class BehindMeta extends Between {

        @Override
        public List<LockKey> call() {
            return held();
        }
    }

    @Test
    void byAMetaAnnotationOnAnInterfaceOfTheSuperclass() {
        isLocked(BehindMeta.class, FarMeta.class, FarMeta::call);
    }

    interface FarRepeated {

        @DistributedLocks(@DistributedLock("far"))
        List<LockKey> call();
    }

    static class BehindContainer implements FarRepeated {

        @Override
        public List<LockKey> call() {
            return held();
        }
    }

    @Test
    void inAContainer() {
        isLocked(BehindContainer.class, FarRepeated.class, FarRepeated::call);
    }

    @DistributedLock("far")
    abstract static class TypedBase {}

    static class OfTypedBase extends TypedBase implements NearerPlain {

        @Override
        public List<LockKey> call() {
            return held();
        }
    }

    interface NearerPlain {

        List<LockKey> call();
    }

    @Test
    void onASuperclass() {
        isLocked(OfTypedBase.class, NearerPlain.class, NearerPlain::call);
    }
}
