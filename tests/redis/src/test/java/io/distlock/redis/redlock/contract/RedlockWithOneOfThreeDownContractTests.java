package io.distlock.redis.redlock.contract;

import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.tck.StoreTraits;
import io.distlock.test.redis.RedisServersExtension;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One node is not there. */
class RedlockWithOneOfThreeDownContractTests extends RedlockContract {

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(3);

    @BeforeAll
    static void open() {
        open(nodes);
    }

    @BeforeEach
    void impair() {
        nodes.get(1).kill();
    }

    @Override
    protected StoreTraits traits() {
        return RedlockTestClient.TRAITS.whenImpaired();
    }
}
