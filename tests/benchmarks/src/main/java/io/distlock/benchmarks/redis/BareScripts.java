package io.distlock.benchmarks.redis;

import io.distlock.redis.RedisLockProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The provider's own scripts, for the bare driver. */
final class BareScripts {

    /** Of a single Redis. */
    static final String ACQUIRE = script("token-by-clock") + script("acquire-exclusive");

    /** Of one node of several. */
    static final String ACQUIRE_ON_A_NODE = script("token-by-counter") + script("acquire-exclusive");

    static final String RELEASE = script("release-exclusive");

    private BareScripts() {}

    private static String script(String name) {
        String file = "script/" + name + ".lua";
        try (InputStream stream = RedisLockProvider.class.getResourceAsStream(file)) {
            if (stream == null) {
                throw new IllegalStateException("the provider has no script " + file);
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
