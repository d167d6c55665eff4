package io.distlock.test.redis;

import java.util.concurrent.CountDownLatch;

/** A program that starts a server and waits to be killed. */
final class LeftBehindServer {

    private LeftBehindServer() {}

    public static void main(String[] arguments) throws InterruptedException {
        System.out.println(RedisServer.start().port());
        new CountDownLatch(1).await();
    }
}
