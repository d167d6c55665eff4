package io.distlock.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.spring.LockTestContext;
import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

/** An application with a tracer and Prometheus: the meters of its locks are those that it has without a tracer. */
class MetersBesideTracesTests {

    private final InMemorySpanExporter spans = InMemorySpanExporter.create();

    private final Tracer tracer = new OtelTracer(
            SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build()
                    .get("test"),
            new OtelCurrentTraceContext(),
            event -> {});

    private final ApplicationContextRunner untraced = LockTestContext.inMemory()
            .withConfiguration(AutoConfigurations.of(
                    MetricsAutoConfiguration.class,
                    ObservationAutoConfiguration.class,
                    ClassUtils.resolveClassName("io.distlock.spring.metrics.LockMetricsAutoConfiguration", null),
                    LockObservationAutoConfiguration.class))
            .withBean(PrometheusMeterRegistry.class, () -> new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));

    private final ApplicationContextRunner traced = untraced.withBean(Tracer.class, () -> tracer)
            .withBean(DefaultTracingObservationHandler.class, () -> new DefaultTracingObservationHandler(tracer));

    @Test
    void aTracerAddsNoMeter() {
        Set<Meter.Id> without = metersOf(untraced);
        assertThat(spans.getFinishedSpanItems()).isEmpty();
        Set<Meter.Id> with = metersOf(traced);
        assertThat(spans.getFinishedSpanItems()).hasSize(4);
        assertThat(with).isEqualTo(without);
        assertThat(without).extracting(Meter.Id::getName).contains("distributed.lock.active");
    }

    @Test
    void whereTheMetersAreSwitchedOffAnObservationMakesItsOwn() {
        assertThat(metersOf(traced.withPropertyValues("distributed-lock.metrics.enabled=false")))
                .extracting(Meter.Id::getName)
                .containsOnly("distributed.lock", "distributed.lock.active");
    }

    /** While one lock is held, as that is when a long task timer shows. */
    private static Set<Meter.Id> metersOf(ApplicationContextRunner application) {
        Set<Meter.Id> locks = new LinkedHashSet<>();
        application.run(context -> {
            LockClient client = context.getBean(LockClient.class);
            client.acquire(client.request("orders")).release();
            PrometheusMeterRegistry registry = context.getBean(PrometheusMeterRegistry.class);
            try (HeldLock held = client.acquire(client.request("orders"))) {
                assertThat(held.isHeld()).isTrue();
                assertThat(registry.scrape()).contains("distributed_lock");
                registry.getMeters().stream()
                        .map(Meter::getId)
                        .filter(id -> id.getName().startsWith("distributed.lock"))
                        .forEach(locks::add);
            }
        });
        return locks;
    }
}
