package io.distlock.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spi.LockProvider;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import io.distlock.spring.LockTestContext;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mockito.AdditionalAnswers;
import org.mockito.Mockito;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What a tracer makes of the observations: that of OpenTelemetry. */
class LockTracesTests {

    private final InMemorySpanExporter spans = InMemorySpanExporter.create();

    private final Tracer tracer = new OtelTracer(
            SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build()
                    .get("test"),
            new OtelCurrentTraceContext(),
            event -> {});

    private final ApplicationContextRunner runner = LockTestContext.inMemory()
            .withConfiguration(AutoConfigurations.of(LockObservationAutoConfiguration.class))
            .withBean(ObservationRegistry.class, this::registry)
            .withBean(Tracer.class, () -> tracer)
            .withBean(Shop.class);

    static class Shop {

        @DistributedLock(name = "orders", key = "#id")
        public String ship(int id) {
            return LockContext.current().fencingToken().toString();
        }
    }

    private ObservationRegistry registry() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new DefaultTracingObservationHandler(tracer));
        return registry;
    }

    @Test
    void aTraceShowsWhatWasWaitedForAndHeldInTheMidstOfTheCall() {
        runner.run(context -> {
            Span call = tracer.nextSpan().name("call").start();
            Tracer.SpanInScope scope = tracer.withSpan(call);
            String token = context.getBean(Shop.class).ship(42);
            scope.close();
            call.end();
            List<SpanData> finished = spans.getFinishedSpanItems();
            assertThat(finished)
                    .extracting(SpanData::getName)
                    .containsExactly("wait for orders", "hold orders", "call");
            SpanData waited = finished.get(0);
            SpanData held = finished.get(1);
            assertThat(List.of(waited, held))
                    .extracting(SpanData::getParentSpanId)
                    .containsOnly(call.context().spanId());
            assertThat(held.getStartEpochNanos()).isGreaterThanOrEqualTo(waited.getStartEpochNanos());
            assertThat(text(waited, "lock.key")).isEqualTo("orders:42");
            assertThat(text(held, "lock.token")).isEqualTo(token);
            assertThat(text(held, "outcome")).isEqualTo("released");
        });
    }

    /** The span is the tracer's alone, and only on the calling thread, as if an agent had begun it. */
    @Test
    void aTraceStaysTogetherWhicheverThreadTheStoreAnswersOn() {
        runner.withBean("elsewhere", BeanPostProcessor.class, AnswersElsewhere::new)
                .run(context -> {
                    Span call = tracer.nextSpan().name("call").start();
                    Tracer.SpanInScope scope = tracer.withSpan(call);
                    context.getBean(Shop.class).ship(42);
                    scope.close();
                    assertThat(spans.getFinishedSpanItems())
                            .hasSize(2)
                            .extracting(SpanData::getParentSpanId)
                            .containsOnly(call.context().spanId());
                });
    }

    /** Replaces the provider by one that answers on another thread, as those with a network do. */
    private static final class AnswersElsewhere implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof LockProvider provider ? elsewhere(provider) : bean;
        }

        private static LockProvider elsewhere(LockProvider provider) {
            LockProvider front = Mockito.mock(LockProvider.class, AdditionalAnswers.delegatesTo(provider));
            Mockito.doAnswer(asked -> provider.acquire(asked.getArgument(0)).thenApplyAsync(grant -> grant))
                    .when(front)
                    .acquire(Mockito.any());
            return front;
        }
    }

    private static String text(SpanData span, String attribute) {
        return span.getAttributes().get(AttributeKey.stringKey(attribute));
    }
}
