package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.distlock.LockClient;
import io.distlock.spi.LockProvider;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Mono;

/** How many frames of this project one uncontended call passes, and how much it allocates. */
class CallDepthTests {

    private static final int CALLS = 2_000;

    static class Jobs {

        @DistributedLock(name = "job")
        public List<String> blocking() {
            return ours();
        }

        @DistributedLock(name = "job")
        public void nothing() {}

        @DistributedLock(name = "job")
        public CompletableFuture<List<String>> future() {
            return CompletableFuture.completedFuture(ours());
        }

        @DistributedLock(name = "job")
        public Mono<List<String>> mono() {
            return Mono.just(ours());
        }
    }

    /** Notes the frames at the first call to a client and to a provider. */
    static class Recorder implements BeanPostProcessor, LockClientCustomizer {

        private List<String> atClient = List.of();
        private List<String> atProvider = List.of();

        @Override
        public LockClient customize(LockClient client) {
            return recording(LockClient.class, client, frames -> atClient = frames);
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof LockProvider provider
                    ? recording(LockProvider.class, provider, frames -> atProvider = frames)
                    : bean;
        }

        private static <T> T recording(Class<T> type, T target, Consumer<List<String>> frames) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                        if (method.getName().startsWith("acquire")) {
                            frames.accept(ours());
                        }
                        try {
                            return method.invoke(target, args);
                        } catch (InvocationTargetException thrown) {
                            throw thrown.getCause();
                        }
                    }));
        }
    }

    /** The frames of this project's main code on the stack, innermost first. */
    private static List<String> ours() {
        return StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> frame.getClassName().startsWith("io.distlock.")
                                && !frame.getClassName().contains("CallDepthTests"))
                        .map(frame ->
                                frame.getClassName().substring("io.distlock.".length()) + "." + frame.getMethodName())
                        .toList());
    }

    private static void run(Consumer<ApplicationContext> test) {
        LockTestContext.inMemory().withBean(Jobs.class).withBean(Recorder.class).run(test::accept);
    }

    private static void print(String call, ApplicationContext context) {
        Recorder recorder = context.getBean(Recorder.class);
        System.out.printf(
                "%s: %d frames to the client %s, %d to the provider %s%n",
                call, recorder.atClient.size(), recorder.atClient, recorder.atProvider.size(), recorder.atProvider);
    }

    @Test
    void aMethodThatBlocks() {
        run(context -> {
            List<String> atBody = context.getBean(Jobs.class).blocking();
            print("blocking", context);
            System.out.printf("blocking: %d frames to the body %s%n", atBody.size(), atBody);
            assertThat(context.getBean(Recorder.class).atClient).hasSizeLessThanOrEqualTo(4);
            assertThat(atBody).hasSizeLessThanOrEqualTo(5);
        });
    }

    @Test
    void aMethodThatReturnsAFuture() {
        run(context -> {
            context.getBean(Jobs.class).future().join();
            print("future", context);
            assertThat(context.getBean(Recorder.class).atClient).hasSizeLessThanOrEqualTo(6);
        });
    }

    @Test
    void aSubscription() {
        run(context -> {
            context.getBean(Jobs.class).mono().block();
            print("publisher", context);
            assertThat(context.getBean(Recorder.class).atClient).hasSizeLessThanOrEqualTo(3);
        });
    }

    /** Against the same locks without the annotation. Without the recorder, whose figures these would be. */
    @Test
    void whatTheAnnotationAllocates() {
        LockTestContext.inMemory().withBean(Jobs.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            LockClient client = context.getBean(LockClient.class);
            List<Long> annotated = new ArrayList<>();
            List<Long> bare = new ArrayList<>();
            for (int round = 0; round < 5; round++) {
                annotated.add(allocated(jobs::nothing));
                bare.add(allocated(() -> client.acquire(client.request("job")).close()));
            }
            System.out.printf("bytes per call: annotated %s, bare %s%n", annotated, bare);
            // The least of each: what the rest of the machine does meanwhile only adds to it.
            assertThat(Collections.min(annotated) - Collections.min(bare)).isLessThan(800);
        });
    }

    private static long allocated(Runnable call) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int each = 0; each < CALLS; each++) {
            call.run();
        }
        return (threads.getCurrentThreadAllocatedBytes() - before) / CALLS;
    }
}
