package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class MariaDbR2dbcFenceTests extends R2dbcFenceContract {

    @Override
    Database start() {
        return Database.mariadb();
    }

    @Test
    void theFloorStaysThoughATransactionAroundTheVerificationIsRolledBack() {
        FenceTable table = new FenceTable(FenceTable.DEFAULT_NAME, "around");
        R2dbcFence other = new R2dbcFence(Objects.requireNonNull(manager.getConnectionFactory()), table, "redis");
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> in(other.verify().then(Mono.error(new UnsupportedOperationException())))
                        .block(PATIENCE));
        assertThat(database.jdbc()
                        .queryForObject(
                                "select count(*) from distributed_lock_fence where lock_key = ?",
                                Long.class,
                                FenceTable.floorOf(table.source("redis"))))
                .isOne();
    }
}
