package io.distlock.redis;

import io.distlock.test.redis.RedisExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A Redis, and one client that all tests of a class share. */
public abstract class OneClientFixture {

    @RegisterExtension
    protected static final RedisExtension redis = RedisExtension.create();

    protected static TestClient client;

    @BeforeAll
    static void connect() {
        client = TestClient.of(redis.server().endpoint());
    }

    @AfterAll
    static void disconnect() {
        client.close();
    }
}
