package io.distlock.jdbc.fence.autoconfigure;

import io.distlock.LockOptions;
import io.distlock.autoconfigure.CommonLockProperties;
import io.distlock.jdbc.fence.FenceTable;
import java.time.Duration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;

/** The properties {@code fencing.*} of JDBC and of R2DBC, and what is made of them. */
class FencingProperties {

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

    /** The module is that of {@code distributed-lock.<module>.fencing.table}. */
    FenceTable table(String module, Environment environment) {
        try {
            return new FenceTable(table, CommonLockProperties.keyPrefix(environment));
        } catch (IllegalArgumentException wrong) {
            throw new InvalidConfigurationPropertyValueException(
                    "distributed-lock." + module + ".fencing.table", table, wrong.getMessage());
        }
    }

    /** The module is that of {@code distributed-lock.<module>.fencing.retention}. */
    Duration retention(String module, Environment environment) {
        Duration maxHold = CommonLockProperties.maxHoldTime(environment);
        if (retention.compareTo(maxHold) < 0) {
            throw new InvalidConfigurationPropertyValueException(
                    "distributed-lock." + module + ".fencing.retention",
                    retention,
                    "It must be at least distributed-lock.max-hold-time, which is " + LockOptions.text(maxHold)
                            + ": a lock that is still held could lose its row.");
        }
        return retention;
    }
}
