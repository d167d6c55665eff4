package io.distlock.jdbc.fence.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;

/** Fencing in the application's database. */
@ConfigurationProperties("distributed-lock.jdbc")
class JdbcFenceProperties extends DatabaseInitializationProperties {

    @NestedConfigurationProperty
    private final FencingProperties fencing = new FencingProperties();

    @Override
    public String getDefaultSchemaLocation() {
        return "classpath:io/distlock/jdbc/fence/schema-@@platform@@.sql";
    }

    public FencingProperties getFencing() {
        return fencing;
    }
}
