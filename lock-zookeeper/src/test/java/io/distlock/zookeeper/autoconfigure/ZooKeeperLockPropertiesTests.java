package io.distlock.zookeeper.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.distlock.zookeeper.ZooKeeperLayout;
import io.distlock.zookeeper.ZooKeeperLockOptions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class ZooKeeperLockPropertiesTests {

    private static final String PREFIX = "distributed-lock.zookeeper.";

    private static ZooKeeperLockProperties bind(Map<String, String> properties) {
        return new Binder(new MapConfigurationPropertySource(properties))
                .bindOrCreate("distributed-lock.zookeeper", ZooKeeperLockProperties.class);
    }

    @ParameterizedTest
    @CsvSource({
        "connect-string, zk-1:port",
        "call-timeout, 9ms",
        "connect-timeout, 99ms",
        "tick-time, 61s",
        "max-session-timeout, 26h",
        "acl, creator"
    })
    void whatIsWrongIsNamedByItsProperty(String name, String value) {
        assertThatThrownBy(() -> bind(Map.of(PREFIX + name, value)))
                .hasStackTraceContaining(
                        InvalidConfigurationPropertyValueException.class.getName() + ": Property " + PREFIX + name);
    }

    @Test
    void aPrefixThatIsWrongIsNamedByItsProperty() {
        assertThatThrownBy(() -> bind(Map.of()).options("/lock"))
                .isInstanceOfSatisfying(
                        InvalidConfigurationPropertyValueException.class,
                        wrong -> assertThat(wrong.getName()).isEqualTo("distributed-lock.key-prefix"));
    }

    @Test
    void eachOptionIsThatOfItsProperty() {
        assertThat(bind(Map.of()).options("lock")).isEqualTo(ZooKeeperLockOptions.defaults());
        assertThat(bind(Map.of(
                                PREFIX + "layout", "read-write",
                                PREFIX + "call-timeout", "3s",
                                PREFIX + "connect-timeout", "4s",
                                PREFIX + "tick-time", "1s",
                                PREFIX + "max-session-timeout", "5m"))
                        .options("orders"))
                .isEqualTo(new ZooKeeperLockOptions(
                        "orders",
                        ZooKeeperLayout.READ_WRITE,
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(5)));
    }

    @ParameterizedTest
    @CsvSource({"username, password", "password, username"})
    void ofAUserNameAndAPasswordNeitherIsSetAlone(String set, String missing) {
        assertThatThrownBy(() -> bind(Map.of(PREFIX + set, "secret")))
                .hasStackTraceContaining("The property " + PREFIX + missing + " is missing");
    }

    /** By TLS or SASL as well. */
    @Test
    void nodesMayBeTheirCreatorsAloneHoweverItAuthenticates() {
        for (Map<String, String> way : List.of(
                Map.of(PREFIX + "username", "shop", PREFIX + "password", "secret"),
                Map.of(PREFIX + "ssl.bundle", "own"),
                Map.of(PREFIX + "client[zookeeper.sasl.clientconfig]", "Shop"))) {
            Map<String, String> all = new HashMap<>(way);
            all.put(PREFIX + "acl", "creator");
            assertThat(bind(all).acl()).isEqualTo(ZooKeeperLockProperties.Acl.CREATOR);
        }
    }
}
