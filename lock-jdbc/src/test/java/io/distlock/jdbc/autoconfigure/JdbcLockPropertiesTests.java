package io.distlock.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.jdbc.JdbcLockOptions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class JdbcLockPropertiesTests {

    private static JdbcLockProperties bind(Map<String, String> properties) {
        return new Binder(new MapConfigurationPropertySource(properties))
                .bindOrCreate("distributed-lock.jdbc", JdbcLockProperties.class);
    }

    @ParameterizedTest
    @CsvSource({"table, our locks", "connections, 0", "connections, 51", "call-timeout, 99ms", "connect-timeout, 61s"})
    void whatIsWrongIsNamedByItsProperty(String name, String value) {
        String property = "distributed-lock.jdbc." + name;
        assertThatThrownBy(() -> bind(Map.of(property, value)))
                .rootCause()
                .isInstanceOfSatisfying(
                        InvalidConfigurationPropertyValueException.class,
                        wrong -> assertThat(wrong.getName()).isEqualTo(property));
    }

    @Test
    void aPrefixThatIsWrongIsNamedByItsProperty() {
        assertThatThrownBy(() -> bind(Map.of()).options(" "))
                .isInstanceOfSatisfying(
                        InvalidConfigurationPropertyValueException.class,
                        wrong -> assertThat(wrong.getName()).isEqualTo("distributed-lock.key-prefix"));
    }

    @Test
    void eachOptionIsThatOfItsProperty() {
        assertThat(bind(Map.of()).options("lock")).isEqualTo(JdbcLockOptions.defaults());
        assertThat(bind(Map.of(
                                "distributed-lock.jdbc.table", "app.locks",
                                "distributed-lock.jdbc.connections", "7",
                                "distributed-lock.jdbc.call-timeout", "3s",
                                "distributed-lock.jdbc.connect-timeout", "4s"))
                        .options("orders"))
                .isEqualTo(new JdbcLockOptions("app.locks", "orders", Duration.ofSeconds(3), Duration.ofSeconds(4), 7));
    }
}
