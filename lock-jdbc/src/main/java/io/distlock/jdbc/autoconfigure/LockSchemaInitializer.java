package io.distlock.jdbc.autoconfigure;

import io.distlock.jdbc.JdbcLockOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.StreamSupport;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.DatabaseDriver;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;

/** Creates the locks' table, under the name that was chosen, where {@code initialize-schema} says so. */
class LockSchemaInitializer extends DataSourceScriptDatabaseInitializer {

    private final JdbcLockOptions options;

    LockSchemaInitializer(DataSource dataSource, DatabaseInitializationMode mode, JdbcLockOptions options) {
        super(dataSource, settings(dataSource, mode));
        this.options = options;
    }

    private static DatabaseInitializationSettings settings(DataSource dataSource, DatabaseInitializationMode mode) {
        DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
        settings.setMode(mode);
        if (mode != DatabaseInitializationMode.NEVER) {
            settings.setSchemaLocations(locations(dataSource));
        }
        return settings;
    }

    /** Only a database that is there tells which it is; the check of the table explains what is wrong with another. */
    private static List<String> locations(DataSource dataSource) {
        try {
            return new PlatformPlaceholderDatabaseDriverResolver()
                    .withDriverPlatform(DatabaseDriver.MARIADB, "mysql")
                    .resolveAll(dataSource, "optional:classpath:io/distlock/jdbc/schema-@@platform@@.sql");
        } catch (RuntimeException unknown) {
            return List.of();
        }
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
                    text.replace(" " + JdbcLockOptions.DEFAULT_TABLE + " ", " " + options.table() + " ")
                            .getBytes(StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
