package io.distlock.redis.redlock.contract;

import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.tck.StoreTraits;
import io.distlock.test.redis.RedisServersExtension;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** As many nodes as can be done without are not there. */
class RedlockWithTwoOfFiveDownContractTests extends RedlockContract {

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(5);

    @BeforeAll
    static void open() {
        open(nodes);
    }

    @BeforeEach
    void impair() {
        nodes.get(1).kill();
        nodes.get(3).kill();
    }

    @Override
    protected StoreTraits traits() {
        return RedlockTestClient.TRAITS.whenImpaired();
    }
}
