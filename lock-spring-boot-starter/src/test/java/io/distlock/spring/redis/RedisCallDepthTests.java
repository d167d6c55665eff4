package io.distlock.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.redis.autoconfigure.RedisLockAutoConfiguration;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import io.distlock.test.redis.RedisExtension;
import io.lettuce.core.tracing.MicrometerTracing;
import io.lettuce.core.tracing.TraceContext;
import io.lettuce.core.tracing.TraceContextProvider;
import io.lettuce.core.tracing.TracerProvider;
import io.lettuce.core.tracing.Tracing;
import io.micrometer.observation.ObservationRegistry;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;

/** How many frames of this project one uncontended call passes before the driver has its command. */
class RedisCallDepthTests {

    @RegisterExtension
    static final RedisExtension redis = RedisExtension.create();

    static class Jobs {

        @DistributedLock(name = "job")
        public void run() {}
    }

    /** The driver asks it for each command, on the thread that sends it. */
    static final class Frames implements Tracing {

        private final Tracing tracing = new MicrometerTracing(ObservationRegistry.create(), "redis");
        private final List<List<String>> seen = new CopyOnWriteArrayList<>();

        @Override
        public TraceContextProvider initialTraceContextProvider() {
            seen.add(StackWalker.getInstance()
                    .walk(frames -> frames.map(frame -> frame.getClassName() + "." + frame.getMethodName())
                            .filter(frame -> frame.startsWith("io.distlock.") && !frame.contains("RedisCallDepthTests"))
                            .map(frame -> frame.substring("io.distlock.".length()))
                            .toList()));
            return () -> TraceContext.EMPTY;
        }

        @Override
        public TracerProvider getTracerProvider() {
            return tracing.getTracerProvider();
        }

        @Override
        public boolean isEnabled() {
            return true;
        }

        @Override
        public boolean includeCommandArgsInSpanTags() {
            return false;
        }

        @Override
        public Endpoint createEndpoint(SocketAddress address) {
            return tracing.createEndpoint(address);
        }
    }

    @Test
    void aMethodThatBlocks() {
        Frames frames = new Frames();
        LockTestContext.withoutProvider()
                .withConfiguration(
                        AutoConfigurations.of(DataRedisAutoConfiguration.class, RedisLockAutoConfiguration.class))
                .withBean(Jobs.class)
                .withBean(ClientResourcesBuilderCustomizer.class, () -> resources -> resources.tracing(frames))
                .withPropertyValues(
                        "spring.data.redis.host=" + redis.server().host(),
                        "spring.data.redis.port=" + redis.server().port(),
                        "distributed-lock.redis.call-timeout=10s")
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    jobs.run();
                    frames.seen.clear();
                    jobs.run();
                    List<List<String>> ofTheCall = frames.seen.stream()
                            .filter(each -> each.toString().contains("LockInterceptor"))
                            .toList();
                    assertThat(ofTheCall).hasSize(2);
                    List<String> in = ofTheCall.get(0);
                    List<String> out = ofTheCall.get(1);
                    System.out.printf(
                            "redis: %d frames in %s%nredis: %d frames out %s%n", in.size(), in, out.size(), out);
                    assertThat(in).hasSizeLessThanOrEqualTo(16);
                    assertThat(out).hasSizeLessThanOrEqualTo(14);
                });
    }
}
