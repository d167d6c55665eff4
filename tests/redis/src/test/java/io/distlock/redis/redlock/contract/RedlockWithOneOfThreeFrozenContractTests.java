package io.distlock.redis.redlock.contract;

import io.distlock.redis.redlock.RedlockTestClient;
import io.distlock.tck.StoreTraits;
import io.distlock.test.redis.RedisServersExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One node takes everything and answers nothing. */
class RedlockWithOneOfThreeFrozenContractTests extends RedlockContract {

    @RegisterExtension
    static final RedisServersExtension nodes = RedisServersExtension.create(3);

    @BeforeAll
    static void open() {
        open(nodes);
    }

    @BeforeEach
    void impair() {
        nodes.get(0).freeze();
    }

    /** Before the clients close, which would wait for them: that is not the contract's. */
    @AfterEach
    void relieve() {
        nodes.get(0).thaw();
    }

    @Override
    protected StoreTraits traits() {
        return RedlockTestClient.TRAITS.whenImpaired();
    }
}
