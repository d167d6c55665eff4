package io.distlock.test.redis;

/** The server answered with an error; the message is the server's. */
public final class RedisErrorException extends RuntimeException {

    RedisErrorException(String message) {
        super(message);
    }
}
