package io.distlock.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockEvent;
import io.distlock.LockLoss;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documentation's page on operating locks is complete. */
class OperatingPageTests {

    private final List<String> lines = Files.readAllLines(Path.of("..", "docs", "operating.md"));

    OperatingPageTests() throws IOException {}

    private boolean says(String code) {
        return lines.stream().anyMatch(line -> line.contains("`" + code + "`"));
    }

    @Test
    void everyMeterHasARow() {
        assertThat(LockMetrics.Meters.values())
                .allSatisfy(meter ->
                        assertThat(lines).anyMatch(line -> line.startsWith("| `" + meter.meterName() + "` |")));
    }

    @Test
    void everyOutcomeAndReasonIsNamed() {
        Stream<Enum<?>> values = Stream.of(LockMetrics.Outcome.values(), LockLoss.Reason.values())
                .flatMap(Arrays::stream);
        assertThat(values).allMatch(value -> says(value.name().toLowerCase(Locale.ROOT)));
    }

    @Test
    void everyFieldOfTheEndpointIsNamed() throws ClassNotFoundException {
        // By name: applications do not see it.
        Class<?> list = Class.forName("io.distlock.spring.endpoint.LocksDescriptor");
        Stream<RecordComponent> fields = Stream.concat(Stream.of(list), Arrays.stream(list.getDeclaredClasses()))
                .flatMap(type -> Arrays.stream(type.getRecordComponents()));
        assertThat(fields).extracting(RecordComponent::getName).allMatch(this::says);
    }

    @Test
    void everyReasonInTheEndpointIsNamed() {
        assertThat(LockLoss.Reason.values()).extracting(LockLoss.Reason::name).allMatch(this::says);
    }

    @Test
    void everyEventIsNamed() {
        assertThat(LockEvent.class.getPermittedSubclasses())
                .extracting(Class::getSimpleName)
                .allMatch(name -> says("LockEvent." + name));
    }
}
