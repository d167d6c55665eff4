package io.distlock.jdbc.fence.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/** Fencing of reactive transactions in the application's database. */
@ConfigurationProperties("distributed-lock.r2dbc")
class R2dbcFenceProperties {

    @NestedConfigurationProperty
    private final FencingProperties fencing = new FencingProperties();

    /** When the fence's table is created at start-up; H2 counts as embedded. */
    private DatabaseInitializationMode initializeSchema = DatabaseInitializationMode.EMBEDDED;

    public FencingProperties getFencing() {
        return fencing;
    }

    public DatabaseInitializationMode getInitializeSchema() {
        return initializeSchema;
    }

    public void setInitializeSchema(DatabaseInitializationMode initializeSchema) {
        this.initializeSchema = initializeSchema;
    }
}
