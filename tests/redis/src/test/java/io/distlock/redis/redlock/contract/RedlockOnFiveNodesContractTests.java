package io.distlock.redis.redlock.contract;

import io.distlock.test.redis.RedisServersExtension;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedlockOnFiveNodesContractTests extends RedlockContract {

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(5);

    @BeforeAll
    static void open() {
        open(nodes);
    }
}
