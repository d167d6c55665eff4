package io.distlock.test.etcd;

import java.util.concurrent.CountDownLatch;

/** A program that starts a server, freezes it and waits to be killed. */
final class LeftBehindServer {

    private LeftBehindServer() {}

    public static void main(String[] arguments) throws InterruptedException {
        EtcdServer server = EtcdServer.start();
        server.freeze();
        System.out.println(server.port());
        new CountDownLatch(1).await();
    }
}
