package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.jdbc.fence.FenceTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.DatabaseDriver;
import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;

/** Creates the fence's table, under the name that was chosen, where {@code initialize-schema} says so. */
class FenceSchemaInitializer extends PropertiesBasedDataSourceScriptDatabaseInitializer<JdbcFenceProperties> {

    private final FenceTable table;

    FenceSchemaInitializer(DataSource dataSource, JdbcFenceProperties properties, FenceTable table) {
        super(dataSource, properties, Map.of(DatabaseDriver.MARIADB, "mysql"));
        this.table = table;
    }

    @Override
    protected void runScripts(Scripts scripts) {
        List<Resource> named = StreamSupport.stream(scripts.spliterator(), false)
                .map(this::named)
                .toList();
        super.runScripts(new Scripts(named)
                .continueOnError(scripts.isContinueOnError())
                .separator(scripts.getSeparator())
                .encoding(StandardCharsets.UTF_8));
    }

    private Resource named(Resource script) {
        try {
            String text = script.getContentAsString(StandardCharsets.UTF_8);
            return new ByteArrayResource(
                    text.replace(FenceTable.DEFAULT_NAME, table.name()).getBytes(StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
