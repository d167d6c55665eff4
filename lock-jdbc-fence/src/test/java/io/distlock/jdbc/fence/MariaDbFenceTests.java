package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import org.junit.jupiter.api.Test;

class MariaDbFenceTests extends JdbcFenceContract {

    @Override
    Database start() {
        return Database.mariadb();
    }

    @Test
    void timesAreThoseOfUtcWhateverTheSessionsTimeZone() {
        LockKey key = unique();
        in(() -> {
            database.jdbc().execute("set time_zone = '-12:00'");
            fence.advance(exclusive(key, 1));
        });
        database.closeConnections();
        assertThat(database.jdbc()
                        .queryForObject(
                                "select timestampdiff(minute, updated_at, utc_timestamp) from distributed_lock_fence"
                                        + " where lock_key = ?",
                                Integer.class,
                                TABLE.key(key)))
                .isBetween(0, 5);
    }

    /** The type TIMESTAMP ends then. */
    @Test
    void timesAfterJanuary2038CanBeStored() {
        LockKey key = unique();
        advance(key, 1);
        database.jdbc()
                .update(
                        "update distributed_lock_fence set updated_at = '2038-01-20 00:00:00' where lock_key = ?",
                        TABLE.key(key));
        advance(key, 2);
        assertThat(token(key)).isEqualTo(2);
    }
}
