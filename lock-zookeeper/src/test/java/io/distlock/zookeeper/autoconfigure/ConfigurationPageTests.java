package io.distlock.zookeeper.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.house.ConfigurationPage;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ConfigurationPageTests {

    @Test
    void everyPropertyIsDocumentedWithItsDefault() throws IOException {
        assertThat(new ConfigurationPage(Path.of("..", "docs", "configuration.md")).mistakes())
                .isEmpty();
    }
}
