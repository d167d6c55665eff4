package io.distlock.jdbc.autoconfigure;

import io.distlock.jdbc.FenceTable;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;

/** Fencing in the application's database. */
@ConfigurationProperties("distributed-lock.jdbc")
class JdbcFenceProperties extends DatabaseInitializationProperties {

    private final Fencing fencing = new Fencing();

    @Override
    public String getDefaultSchemaLocation() {
        return "classpath:io/distlock/jdbc/fence-@@platform@@.sql";
    }

    public Fencing getFencing() {
        return fencing;
    }

    static class Fencing {

        /** Whether the database refuses transactions of stale lock holders. */
        private boolean enabled;

        /** Table of the newest tokens: letters, digits and underscores, optionally after a schema and a dot. */
        private String table = FenceTable.DEFAULT_NAME;

        /** How long the row of a lock is kept after its last use. At least distributed-lock.max-hold-time. */
        private Duration retention = Duration.ofDays(7);

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public String getTable() {
            return table;
        }

        public void setTable(String table) {
            this.table = table;
        }

        public Duration getRetention() {
            return retention;
        }

        public void setRetention(Duration retention) {
            this.retention = retention;
        }
    }
}
